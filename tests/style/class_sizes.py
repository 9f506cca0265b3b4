"""How many member functions and fields the classes of a file have.

Counted from the text: deleted and defaulted functions, friends, aliases, nested types and static constants are
no members here; the members of a nested class are its own.
"""
import re

COMMENT_OR_LITERAL = re.compile(
    r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])'", re.S)
ATTRIBUTE = r"(?:NIO_\w+\([^()]*\)\s*|\[\[[^\]]*\]\]\s*|alignas\([^()]*\)\s*)*"
CLASS = re.compile(r"\b(?:class|struct)\s+" + ATTRIBUTE + r"([\w:]+)(?:\s+final)?\s*(?::[^;{}()]*)?\{")
ACCESS = re.compile(r"(public|protected|private)\s*:")
# What has parentheses and is no list of parameters.
WITH_PARENTHESES = re.compile(
    r"\b(NIO_\w+|alignas|explicit|noexcept|decltype|requires)\s*\((?:[^()]|\([^()]*\))*\)")


def end_of(text, start, opening, closing):
    depth = 0
    for place in range(start, len(text)):
        depth += {opening: 1, closing: -1}.get(text[place], 0)
        if depth == 0:
            return place
    return len(text)


def declarations(body):
    """The text of each declaration of a class, without the bodies."""
    place = begin = 0
    while place < len(body):
        if body[place] == "(":
            place = end_of(body, place, "(", ")") + 1
            continue
        if body[place] == ";":
            yield body[begin:place]
            begin = place + 1
        elif body[place] == "{":
            yield body[begin:place]
            head = WITH_PARENTHESES.sub("", ACCESS.sub("", body[begin:place]))
            place = end_of(body, place, "{", "}") + 1
            # A type or an initialiser goes on to its semicolon; the body of a function is its end.
            is_type = re.match(r"\s*(?:template\s*<[^{]*>\s*)?(?:class|struct|union|enum)\b", head)
            if is_type or "(" not in head:
                end = body.find(";", place)
                place = len(body) if end < 0 else end + 1
            begin = place
            continue
        place += 1


def kind_of(declaration):
    """"function", "field" or None"""
    text = WITH_PARENTHESES.sub("", ACCESS.sub("", declaration)).strip()
    text = re.sub(r"^template\s*<[^{};]*?>\s*(?=\w)", "", text)
    text = re.sub(r"\[\[.*?\]\]", "", text).strip()
    if not text or re.match(r"(using|friend|typedef|static_assert|enum|class|struct|union)\b", text):
        return None
    if re.search(r"=\s*(delete|default)$", text):
        return None
    declarator = text if re.search(r"\boperator", text) else text.split("=")[0]
    if "(" in re.sub(r"<[^;{}]*>", "", declarator):
        return "function"
    return None if re.match(r"(static|constexpr)\b", text) else "field"


def class_sizes(text):
    """(name, functions, fields) of each class that is defined in `text`."""
    text = COMMENT_OR_LITERAL.sub(lambda match: " " if match[0][0] == "/" else '""', text)
    text = re.sub(r"^\s*#.*$", "", text, flags=re.M)
    for match in CLASS.finditer(text):
        body = text[match.end():end_of(text, match.end() - 1, "{", "}")]
        kinds = [kind_of(declaration) for declaration in declarations(body)]
        yield match[1], kinds.count("function"), kinds.count("field")
