"""Shows Doxygen the comments of a header or a guide as documentation.

comments.py FILE

Of a header: a comment before a declaration, or behind it, belongs to that. The one at the top belongs
to the class that is named as the file, or to the file. A divider (--- name ---) begins a group.
Indented lines are code. Comments inside functions stay what they are.

Of a guide: links to what is not a page here become plain text.
"""
import re
import sys
from pathlib import Path

TOKEN = re.compile(r"""(?P<comment>//[^\n]*)|(?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])')"""
                   r"""|(?P<number>\b\d[\w']*)|(?P<mark>[{}();])|(?P<end>\n)""")
OF_A_SCOPE = re.compile(r"\b(namespace|class|struct|union|enum|extern)\b[^()=]*$")
DIVIDER = re.compile(r"--- (.*?) *-*$")
LABEL = re.compile(r"(?:^|(?<=[.)] ))(Threads?|Lifetimes?|Errors|Source|Time|Units): ")
CODE_SPAN = re.compile(r"(`[^`]*`)")
# A specialisation in this form confuses Doxygen.
OF_STD = re.compile(r"^template <>\n(?:class|struct) std::[^;]*;$", re.MULTILINE)
LINK = re.compile(r"(?<!`)\[([^\]]*)\]\(([^)\s#]*)(#[^)\s]*)?\)")


def is_of_a_scope(head):
    """Whether what stands before a brace opens a namespace, a class or an enumeration."""
    while head != (head := re.sub(r"<[^<>]*>", "", head)):
        pass
    head = re.sub(r"\bNIO_\w+\([^()]*\)|\balignas\([^()]*\)|\[\[.*?\]\]", "", head)
    return bool(OF_A_SCOPE.search(head))


def comments_of(text):
    """For each line: where its comment begins, or None if there is none that documents."""
    found, scopes, head, parentheses, comment, line_start = [], [], "", 0, None, 0
    at = 0
    for token in TOKEN.finditer(text):
        head += text[at:token.start()]
        at = token.end()
        word = token[0]
        if token["comment"]:
            if all(scopes) and parentheses == 0:
                comment = token.start() - line_start
        elif token["end"]:
            found.append(comment)
            comment, line_start, head = None, token.end(), head + " "
        elif not token["mark"]:
            head += word if token["number"] else '""'
        elif word in "()":
            parentheses += 1 if word == "(" else -1
            head += word
        else:
            if word == "{":
                scopes.append(parentheses == 0 and is_of_a_scope(head))
            elif word == "}":
                scopes.pop()
            if parentheses == 0:
                head = ""
    return found


def escaped(prose):
    parts = CODE_SPAN.split(prose)
    return "".join(part if part.startswith("`") else re.sub(r"([\\@<>#%&])", r"\\\1", part)
                   for part in parts)


def as_documentation(lines):
    """The text of a comment, without its marks, as Doxygen's Markdown."""
    code = []
    for line in [*lines, None]:
        if line is not None and (line.startswith("    ") or (code and not line)):
            code.append(line[4:])
            continue
        while code and not code[-1]:
            code.pop()
        if code:
            kind = "code{.cpp}" if re.search(r"[;{]$", "\n".join(code), re.MULTILINE) else "verbatim"
            yield from ["", f"@{kind}", *code, f"@end{kind.partition('{')[0]}", ""]
            code = []
        if line is not None:
            yield from LABEL.sub(r"\n\n<b>\1:</b> ", escaped(line)).split("\n")


def block(lines, before="", opening="/**"):
    body = [line.replace("*/", "*&#47;") for line in as_documentation(lines)]
    return [f"{opening} {before}", *body, "*/"]


def named_class(text, stem):
    """The class that is named as the file, with its namespace."""
    match = re.search(rf"^(?:class|struct)\s+(?:NIO_\w+\([^)]*\)\s+)?{stem}\b[^;]*?{{", text, re.MULTILINE)
    if not match:
        return None
    spaces = re.findall(r"^(?:namespace ([\w:]+) {|}  // namespace)", text[:match.start()], re.MULTILINE)
    open_spaces = []
    for space in spaces:
        open_spaces.append(space) if space else open_spaces.pop()
    return "::".join([*open_spaces, stem])


class Header:
    def __init__(self, path):
        self.text = OF_STD.sub("", path.read_text(encoding="utf-8"))
        self.path = path
        self.lines = self.text.splitlines()
        self.comments = comments_of(self.text)
        self.group = False

    def is_own_line(self, number):
        start = self.comments[number] if number < len(self.lines) else None
        return start is not None and not self.lines[number][:start].strip()

    def comment(self, number):
        return self.lines[number][self.comments[number] + 2:].removeprefix(" ")

    def top(self, lines):
        whole = " ".join(lines).split(". ")[0].split(":  ")[0].rstrip(".")
        name = named_class(self.text, self.path.stem)
        if name is None:
            return block(lines, "@file\n")
        return [f"/** @file\n@brief {escaped(whole)}.\n*/", *block(lines, f"@class {name}\n")]

    def converted(self):
        number = 0
        while number < len(self.lines):
            first = number
            while self.is_own_line(number):
                number += 1
            if number > first:
                yield from self.of_block(first, number)
            else:
                number += 1
                yield from self.of_code(first)
                start = self.comments[first]
                while start is not None and self.is_own_line(number) and \
                        self.comments[number] == start:
                    number += 1  # of_code has taken them

    def of_block(self, first, end):
        lines = [self.comment(number) for number in range(first, end)]
        if first == 0:
            yield from self.top(lines)
            return
        if divider := DIVIDER.match(lines[0]):
            yield from self.close_group()
            self.group = True
            yield f"/** @name {escaped(divider[1])}"
            rest = lines[1:]
            follows = self.lines[end].strip() if end < len(self.lines) else ""
            if rest and not follows:
                yield from as_documentation(rest)
                rest = []
            yield "*/ /**@{*/"
            if rest:
                yield from block(rest)
            return
        follows = self.lines[end].strip() if end < len(self.lines) else ""
        if not follows or re.match(r"[})]|#(?!define)|(public|private|protected):", follows):
            yield from self.lines[first:end]
        else:
            yield from block(lines)

    def of_code(self, first):
        line, start = self.lines[first], self.comments[first]
        code = line if start is None else line[:start].rstrip()
        if self.group and re.match(r"\s*(private|protected|public):|}", code):
            yield from self.close_group()
        if start is None or not re.search(r"[;,}\w)]$", code) or \
                re.match(r"\s*(#|}|friend)", code):
            yield line
            return
        lines, number = [self.comment(first)], first + 1
        while self.is_own_line(number) and self.comments[number] == start:
            lines.append(self.comment(number))
            number += 1
        yield code
        yield from block(lines, opening="/**<")

    def close_group(self):
        if self.group:
            yield "/**@}*/"
        self.group = False


def guide(path):
    def link(match):
        target = (path.parent / match[2]).resolve()
        pages = (Path.cwd(), Path.cwd() / "docs")
        is_page = "://" in match[2] or (target.suffix == ".md" and target.parent in pages)
        return f"[{match[1]}]({match[2]})" if is_page else match[1]
    return LINK.sub(link, path.read_text(encoding="utf-8"))


def main():
    path = Path(sys.argv[1])
    if path.suffix == ".md":
        print(guide(path))
    else:
        print("\n".join(Header(path).converted()))


if __name__ == "__main__":
    main()
