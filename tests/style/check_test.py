"""Each rule of check.py finds what it is there to find, and lets the rest pass."""
import tempfile
import unittest
from pathlib import Path

import check


class Rules(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = Path(self.folder.name)

    def file(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def troubles(self, rule):
        return list(check.RULES[rule](self.root))

    def test_a_room_may_include_the_rooms_below_it(self):
        self.file("lib/nio/net/A.h", "#include <vector>\n\n#include <nio/codec/B.h>\n")
        self.file("lib/nio/nio.h", "#include <nio/net/A.h>\n")
        self.assertEqual(self.troubles("rooms"), [])

    def test_a_room_may_not_include_a_room_above_it(self):
        self.file("lib/nio/sys/A.h", "#include <nio/channel/B.h>\n")
        self.assertEqual(
            self.troubles("rooms"),
            ["lib/nio/sys/A.h:1: room 'sys' may not include <nio/channel/B.h>"],
        )

    def test_a_codec_knows_nothing_but_base(self):
        self.file("lib/nio/codec/A.cpp", "#include <nio/sys/Clock.h>\n")
        self.assertEqual(len(self.troubles("rooms")), 1)

    def test_the_loop_does_not_know_codecs(self):
        self.file("lib/nio/loop/A.cpp", " # include <nio/codec/B.h>\n")
        self.assertEqual(len(self.troubles("rooms")), 1)

    def test_no_room_includes_all_rooms(self):
        self.file("lib/nio/base/A.h", "#include <nio/nio.h>\n")
        self.assertEqual(len(self.troubles("rooms")), 1)

    def test_names_start_at_lib(self):
        self.file("lib/nio/sys/A.cpp", '#include "../channel/B.h"\n')
        self.assertEqual(len(self.troubles("rooms")), 1)

    def test_a_new_room_needs_a_place(self):
        self.file("lib/nio/attic/A.h", "")
        self.assertEqual(len(self.troubles("rooms")), 1)

    def test_a_room_has_at_most_25_files(self):
        for number in range(25):
            self.file(f"lib/nio/sys/A{number}.h", "")
        self.file("lib/nio/sys/deeper/B.h", "")
        self.assertEqual(self.troubles("rooms"), [])
        self.file("lib/nio/sys/C.h", "")
        self.assertEqual(self.troubles("rooms"), ["lib/nio/sys: 26 files"])

    def a_class(self, functions, fields):
        members = [f"    void f{i}(int at = {{}}) {{ call(); }}\n" for i in range(functions)]
        members += [f"    std::vector<int> a{i}_{{1, 2}};  // (a field)\n" for i in range(fields)]
        return "class A final : public B {\n  public:\n    A(const A&) = delete;\n" + "".join(members) + "};\n"

    def test_a_class_has_at_most_45_functions(self):
        self.file("lib/nio/sys/A.h", self.a_class(45, 0))
        self.assertEqual(self.troubles("classes"), [])
        self.file("lib/nio/sys/A.h", self.a_class(46, 1))
        self.assertEqual(self.troubles("classes"), ["lib/nio/sys/A.h: A: 46 functions, 1 fields"])

    def test_a_class_of_smpp_has_at_most_45_functions(self):
        self.file("lib/smpp/pdu/A.h", self.a_class(46, 1))
        self.assertEqual(self.troubles("classes"), ["lib/smpp/pdu/A.h: A: 46 functions, 1 fields"])

    def test_a_class_of_an_smpp_program_has_at_most_20_fields(self):
        for program in ("sms_router", "smpp_bench"):
            self.file(f"apps/{program}/esme/A.cpp", self.a_class(4, 21))
        self.assertEqual(
            self.troubles("classes"),
            [f"apps/{program}/esme/A.cpp: A: 4 functions, 21 fields"
             for program in ("sms_router", "smpp_bench")],
        )

    def test_a_class_has_at_most_20_fields(self):
        self.file("lib/nio/sys/A.h", self.a_class(4, 20))
        self.assertEqual(self.troubles("classes"), [])
        self.file("lib/nio/sys/A.h", self.a_class(4, 21))
        self.assertEqual(self.troubles("classes"), ["lib/nio/sys/A.h: A: 4 functions, 21 fields"])

    def test_a_value_counts_like_a_class(self):
        self.file("lib/nio/sys/A.h", self.a_class(0, 21))
        self.assertEqual(self.troubles("classes"), ["lib/nio/sys/A.h: A: 0 functions, 21 fields"])

    def test_metrics_of_a_dispatcher_may_have_more_fields(self):
        text = self.a_class(1, 21).replace("class A ", "class DispatcherMetrics ")
        self.file("lib/nio/observe/DispatcherMetrics.h", text)
        self.assertEqual(self.troubles("classes"), [])

    def test_a_program_includes_itself_and_common_only(self):
        self.file("apps/common/C.h", "")
        self.file("apps/one/A.h", "#include <common/C.h>\n#include <one/B.h>\n")
        self.assertEqual(self.troubles("rooms"), [])
        self.file("apps/two/D.h", "#include <one/A.h>\n")
        self.assertEqual(len(self.troubles("rooms")), 1)

    def test_the_rooms_of_a_program_form_no_circle(self):
        self.file("apps/one/main.cpp", '#include "one/high/A.h"\n')
        self.file("apps/one/high/A.h", '#include "one/low/B.h"\n')
        self.file("apps/one/low/B.h", '#include "one/low/C.h"\n#include "common/D.h"\n')
        self.assertEqual(self.troubles("rooms"), [])
        self.file("apps/one/low/C.h", '#include "one/lowest/D.h"\n')
        self.file("apps/one/lowest/D.h", '#include "one/high/A.h"\n')
        self.assertEqual(
            self.troubles("rooms"), ["apps/one: a circle of rooms: high, low, lowest"]
        )

    def test_the_rooms_of_the_router_have_an_order(self):
        self.file("apps/sms_router/main.cpp", '#include "sms_router/app/A.h"\n')
        self.file("apps/sms_router/ingress/A.h", '#include "sms_router/delivery/B.h"\n')
        self.assertEqual(self.troubles("rooms"), [])
        for room, other in (("delivery", "ingress"), ("ingress", "egress"), ("egress", "ingress"),
                            ("app", "elsewhere"), ("egress", "admin"), ("admin", "delivery")):
            path = f"apps/sms_router/{room}/C.h"
            self.file(path, f'#include "sms_router/{other}/D.h"\n')
            self.assertIn(
                f"{path}:1: room '{room}' may not include <sms_router/{other}/D.h>",
                self.troubles("rooms"),
            )
            self.file(path, "")
        self.file("apps/sms_router/egress/C.h", '#include "../ingress/A.h"\n')
        self.assertEqual(len(self.troubles("rooms")), 1)
        self.file("apps/sms_router/egress/C.h", "")
        self.file("apps/sms_router/flow/E.h", "")
        self.assertEqual(
            self.troubles("rooms"),
            ["apps/sms_router/flow/E.h: room 'flow' has no place in the order"],
        )

    def test_a_room_may_not_declare_a_class_of_a_room_above_it(self):
        self.file("lib/nio/loop/B.h", "class B final : public A {\n};\nstruct NIO_CAPABILITY(x) C {\n};\n")
        self.file("lib/nio/sys/D.h", "class D;\nclass E;\nclass D {\n};\n")
        self.file("lib/nio/net/F.h", "class B;\n")
        self.assertEqual(self.troubles("rooms"), [])
        self.file("lib/nio/sys/A.h", "class B;\nstruct C;\n")
        self.file("apps/sms_router/ingress/G.h", "class G {\n};\n")
        self.file("apps/sms_router/routing/H.cpp", "class G;\n")
        self.assertEqual(
            self.troubles("rooms"),
            ["lib/nio/sys/A.h:1: room 'sys' may not declare B",
             "lib/nio/sys/A.h:2: room 'sys' may not declare C",
             "apps/sms_router/routing/H.cpp:1: room 'routing' may not declare G"],
        )

    def test_what_is_handed_on_may_be_declared(self):
        self.file("apps/sms_router/ingress/P.h", "class PasswordDesk {\n};\nclass EsmeLink {\n};\n")
        self.file("apps/sms_router/routing/Shard.h", "class PasswordDesk;\n")
        self.assertEqual(self.troubles("rooms"), [])
        self.file("apps/sms_router/routing/Shard.h", "class EsmeLink;\nclass PasswordDesk;\n")
        self.assertEqual(len(self.troubles("rooms")), 1)

    def test_asio_is_for_the_timers_only(self):
        self.file("lib/nio/timers/Timers.cpp", "#include <asio.hpp>\n")
        self.assertEqual(self.troubles("asio"), [])
        self.file("lib/nio/timers/Other.cpp", "#include <asio/steady_timer.hpp>\n")
        self.assertEqual(len(self.troubles("asio")), 1)

    def test_peers_of_benchmarks_may_use_asio(self):
        self.file("lib/nio/timers/Timers.cpp", "#include <asio.hpp>\n")
        self.file("tests/bench/peers/Peer.cpp", "#include <asio.hpp>\n")
        self.assertEqual(self.troubles("asio"), [])

    def test_only_sys_and_selector_know_the_system(self):
        for name in ("lib/nio/sys/A.cpp", "lib/nio/selector/epoll/B.h"):
            self.file(name, "#include <sys/epoll.h>\n#include <linux/types.h>\n")
        self.file("lib/nio/channel/C.h", "#include <sys/uio.h>\n#include <csignal>\n")
        self.assertEqual(self.troubles("systems"), [])
        self.file("lib/nio/loop/D.cpp", "\n#include <unistd.h>\n")
        self.file("lib/smpp/pdu/E.h", "#include <sys/socket.h>\n")
        self.assertEqual(
            self.troubles("systems"),
            [
                "lib/nio/loop/D.cpp:2: only sys/ and selector/ may include <unistd.h>",
                "lib/smpp/pdu/E.h:1: only sys/ and selector/ may include <sys/socket.h>",
            ],
        )

    def test_timers_without_asio_are_noticed(self):
        self.file("lib/nio/timers/Timers.cpp", "")
        self.assertEqual(len(self.troubles("asio")), 1)

    def test_columns_are_counted_in_characters(self):
        self.file("lib/nio/base/A.h", "//" + "é" * 98 + "\n")
        self.assertEqual(self.troubles("columns"), [])
        self.file("lib/nio/base/B.h", "//" + "e" * 99 + "\n")
        self.assertEqual(self.troubles("columns"), ["lib/nio/base/B.h:1: 101 columns"])

    def test_long_files_are_found(self):
        self.file("tests/A.cpp", "\n" * 400)
        self.assertEqual(self.troubles("lines"), [])
        self.file("tests/B.cpp", "\n" * 401)
        self.assertEqual(self.troubles("lines"), ["tests/B.cpp: 401 lines"])

    def test_long_test_names_are_found(self):
        self.file("tests/A.cpp", f"TEST(Suite, {'A' * 50}) {{}}\n")
        self.assertEqual(self.troubles("names"), [])
        name = "B" * 51
        self.file("tests/B.cpp", f"\nTEST_P(Suite,\n       {name}) {{}}\n")
        self.assertEqual(self.troubles("names"), [f"tests/B.cpp:2: {name}: 51 characters"])


if __name__ == "__main__":
    unittest.main()
