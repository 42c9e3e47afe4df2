#!/usr/bin/env python3
"""Writes the directories of tests/golden/uftrace-*: tests/lib/encode_uftrace.py tests/golden.
Records as uftrace's data-format document describes them.

What the cases expect was reckoned from the calls below by hand."""
import os
import struct
import sys

ENTRY, EXIT, LOST, EVENT = range(4)
SYM_REL_ADDR = 1 << 5
MAIN, LOAD, PARSE, GAP, HELPER = 0x401000, 0x401100, 0x401200, 0x401350, 0x7F0000000100


def info(order, version, features, lines):
    return (b"Ftrace!\0" + struct.pack(order + "IHBBQQHHI", version, 40, 1 if order == "<" else 2,
                                        2, features, 0, 1024, 0, 0) + lines.encode())


def record(order, time, kind, depth, address, values=None):
    word = kind | (values is not None) << 2 | 5 << 3 | depth << 6 | address << 16
    values = values or b""
    return struct.pack(order + "QQ", time, word) + values + b"\0" * (-len(values) % 8)


def write(folder, name, files):
    path = os.path.join(folder, "uftrace-" + name, "input.uftrace")
    os.makedirs(path, exist_ok=True)
    for file, data in files.items():
        with open(os.path.join(path, file), "wb") as out:
            out.write(data if isinstance(data, bytes) else data.encode())


def main(folder):
    text = struct.pack("<iH", 5, 5) + b"hello\0"  # arg1/i32, then arg2/s to a multiple of four
    first = [(1000, ENTRY, 0, MAIN), (1100, ENTRY, 1, LOAD, text),
             (1300, EXIT, 1, LOAD, struct.pack("<q", -1)), (1300, ENTRY, 1, PARSE),
             (1400, ENTRY, 2, HELPER), (1450, EVENT, 0, 1, b"\3\0abc"), (1460, LOST, 0, 2),
             (1500, EXIT, 1, PARSE), (1600, ENTRY, 1, GAP), (1700, EXIT, 1, GAP),
             (2000, EXIT, 0, MAIN)]
    # forked: an exit of what was never entered, and calls that do not end
    second = [(1800, EXIT, 0, MAIN), (1900, ENTRY, 0, PARSE), (2100, ENTRY, 1, LOAD)]
    write(folder, "calls", {
        "info": info("<", 4, SYM_REL_ADDR, "exename:/srv/shop\nargspec:lines=1\n"
                     "argspec:^other@arg1;load@arg1/i32,arg2/s,retval/i64\n"
                     "cmdline:uftrace record -A load@arg1 ./shop\n"),
        "task.txt": 'SESS timestamp=0.000000900 pid=7 sid=0123456789abcdef '
                    'exename="/srv/shop"\n'
                    "TASK timestamp=0.000000950 tid=7 pid=7\n"
                    "FORK timestamp=0.000001750 pid=8 ppid=7\n"
                    "TASK timestamp=0.000001760 tid=8 pid=8\n",
        "sid-0123456789abcdef.map":
            "00400000-00402000 r-xp 00000000 00:00 0    /srv/shop build-id:aa\n"
            "7f0000000000-7f0000001000 r-xp 00000000 00:00 0    /lib/libx.so\n",
        "shop.sym": "# symbols: 4\n# path name: /srv/shop\n0000000000001000 T main\n"
                    "0000000000001100 T load\n0000000000001150 d table\n"
                    "0000000000001200 t parse\n0000000000001300 ? __sym_end\n",
        "libx.so.sym": "0000000000000100 0000000000000010 T helper\n",
        "7.dat": b"".join(record("<", *r) for r in first),
        "8.dat": b"".join(record("<", *r) for r in second),
    })
    # record -a: values from the debug information, by address, and of well-known functions
    values = struct.pack("<24sIiH6s", b"", 7, 0x71, 2, b"ab")  # t24:big, t4:small, c, s
    auto = [(1000, ENTRY, 0, MAIN, struct.pack("<QQ", 1, 2)),
            (1100, ENTRY, 1, LOAD, values), (1300, EXIT, 1, LOAD, struct.pack("<Q", 1)),
            (1400, ENTRY, 1, PARSE, struct.pack("<Q", 8)), (1450, EXIT, 1, PARSE),
            (1500, ENTRY, 1, HELPER, struct.pack("<H10sQ", 9, b"hello you", 3)),
            (1600, EXIT, 1, HELPER, struct.pack("<i", -1)),
            (1900, EXIT, 0, MAIN, struct.pack("<Q", 0))]
    write(folder, "auto", {
        "info": info("<", 4, SYM_REL_ADDR, "exename:/srv/shop\nargspec:lines=3\n"
                     "argauto:open@arg1/s,arg2/e:flag;_Znwm@arg1/u;\n"
                     "retauto:open@retval/d32;\nenumauto:enum flag { A, B };\n"),
        "task.txt": 'SESS timestamp=0.000000900 pid=7 sid=0123456789abcdef '
                    'exename="/srv/shop"\n'
                    "TASK timestamp=0.000000950 tid=7 pid=7\n",
        "sid-0123456789abcdef.map":
            "00400000-00402000 r-xp 00000000 00:00 0    /srv/shop\n"
            "7f0000000000-7f0000001000 r-xp 00000000 00:00 0    /lib/libx.so\n",
        "shop.sym": "0000000000001000 T main\n0000000000001100 T _ZN4shop4loadEv\n"
                    "0000000000001200 T _Znwm\n0000000000001300 ? __sym_end\n",
        "shop.dbg": "# path name: /srv/shop\nF: 1000 main\nL: 12 shop.cc\n"
                    "A: @arg1%rdi,arg2/p%rsi\nR: @retval\n"
                    "F: 1100 load\nA: @arg1/t24:big%stack+1,arg2/t4:small%rdi,arg3/c%rsi,"
                    "arg4/s\nR: @retval/e:color\n",
        "libx.so.sym": "0000000000000100 0000000000000010 T open\n",
        "7.dat": b"".join(record("<", *r) for r in auto),
    })
    # functions of one name, each with its own values: two static ones of a module, one of another,
    # and one that is overloaded
    same = [(1000, ENTRY, 0, MAIN), (1100, ENTRY, 1, LOAD, struct.pack("<Q", 1)),
            (1200, EXIT, 1, LOAD), (1300, ENTRY, 1, PARSE, struct.pack("<QQQ", 1, 2, 3)),
            (1400, EXIT, 1, PARSE), (1500, ENTRY, 1, HELPER, struct.pack("<QQ", 1, 2)),
            (1600, EXIT, 1, HELPER), (1650, ENTRY, 1, GAP, struct.pack("<Q", 1)),
            (1700, EXIT, 1, GAP), (1750, ENTRY, 1, GAP + 64, struct.pack("<QQQ", 1, 2, 3)),
            (1780, EXIT, 1, GAP + 64), (1900, EXIT, 0, MAIN)]
    write(folder, "same", {
        "info": info("<", 4, SYM_REL_ADDR, "exename:/srv/shop\nargspec:lines=1\n"
                     "argauto:open@arg1/s;\n"),
        "task.txt": 'SESS timestamp=0.000000900 pid=7 sid=0123456789abcdef '
                    'exename="/srv/shop"\n'
                    "TASK timestamp=0.000000950 tid=7 pid=7\n",
        "sid-0123456789abcdef.map":
            "00400000-00402000 r-xp 00000000 00:00 0    /srv/shop\n"
            "7f0000000000-7f0000001000 r-xp 00000000 00:00 0    /lib/libx.so\n",
        "shop.sym": "0000000000001000 T main\n0000000000001100 t work\n"
                    "0000000000001200 t work\n0000000000001340 T _ZN4shop4loadEv\n"
                    "0000000000001380 T _ZN4shop4loadEii\n0000000000001400 ? __sym_end\n",
        "shop.dbg": "# path name: /srv/shop\nF: 1100 work\nA: @arg1%rdi\n"
                    "F: 1200 work\nA: @arg1%rdi,arg2%rsi,arg3%rdx\n"
                    "F: 1340 shop::load\nA: @arg1%rdi\n"
                    "F: 1380 shop::load\nA: @arg1%rdi,arg2%rsi,arg3%rdx\n",
        "libx.so.sym": "0000000000000100 0000000000000010 T work\n",
        "libx.so.dbg": "# path name: /lib/libx.so\nF: 100 work\nA: @arg1%rdi,arg2%rsi\n",
        "7.dat": b"".join(record("<", *r) for r in same),
    })
    # four libraries of one name: two of the program, two that it loads, one after the other at one
    # address; an address behind the symbols of the second is of the first
    plug, old, other = 0x7F1000000100, 0x7F1000000500, 0x7F2000000100
    named = [(1000, ENTRY, 0, MAIN), (1100, ENTRY, 1, HELPER), (1150, EXIT, 1, HELPER),
             (1300, ENTRY, 1, plug), (1400, EXIT, 1, plug), (1600, ENTRY, 1, plug),
             (1650, EXIT, 1, plug), (1700, ENTRY, 1, old), (1780, EXIT, 1, old),
             (1800, ENTRY, 1, other), (1850, EXIT, 1, other), (1900, EXIT, 0, MAIN)]
    load = "DLOP timestamp=0.00000%d tid=7 sid=01 base=7f1000000000 libname=\"/opt/%s/libp.so\"\n"
    head = "# symbols: 2\n# path name: %s\n"
    write(folder, "libraries", {
        "info": info("<", 4, SYM_REL_ADDR, ""),
        "task.txt": 'SESS timestamp=0.000000900 pid=7 sid=01 exename="/srv/shop"\n'
                    "TASK timestamp=0.000000950 tid=7 pid=7\n"
                    + load % (1200, "a") + load % (1200, "a") + load % (1500, "b"),
        "sid-01.map":
            "00400000-00402000 r-xp 00000000 00:00 0    /srv/shop build-id:00aa\n"
            "7f0000000000-7f0000001000 r-xp 00000000 00:00 0    /lib/libp.so build-id:11bb22\n"
            "7f2000000000-7f2000001000 r-xp 00000000 00:00 0    /usr/libp.so\n",
        "shop.sym": head % "/srv/shop" + "# build-id: 00aa\n0000000000001000 T main\n",
        "libp.so.sym": head % "/opt/b/libp.so" + "# build-id: 77cc88\n"
                       "0000000000000100 T plug\n0000000000000200 ? __sym_end\n",
        "libp.so-11bb.sym": head % "/lib/libp.so" + "# build-id: 11bb22\n"
                            "0000000000000100 T helper\n0000000000000200 ? __sym_end\n",
        "libp.so-44dd.sym": head % "/opt/a/libp.so" + "# build-id: 44dd55\n"
                            "0000000000000100 T before\n0000000000000500 T old\n"
                            "0000000000000600 ? __sym_end\n",
        "libp.so-%04x.sym" % sum(b"/usr/libp.so"): head % "/usr/libp.so" +
            "0000000000000100 T other\n0000000000000200 ? __sym_end\n",
        "7.dat": b"".join(record("<", *r) for r in named),
    })
    # of a machine with the other order of bytes; symbols as they lay in memory
    cut = [(10, ENTRY, 0, MAIN), (20, ENTRY, 1, LOAD), (50, EXIT, 1, LOAD)]
    write(folder, "cut", {
        "info": info(">", 3, 0, ""),
        "task.txt": 'SESS timestamp=0.0 pid=7 sid=01 exename="/srv/shop"\n'
                    "TASK timestamp=0.0 tid=7 pid=7\n",
        "sid-01.map": "00400000-00402000 r-xp 00000000 00:00 0    /srv/shop\n",
        "shop.sym": "0000000000401000 T main\n0000000000401100 T load\n",
        "7.dat": b"".join(record(">", *r) for r in cut)[:-1],
    })


main(sys.argv[1])
