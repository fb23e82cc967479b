"""Reaches out: to files and to the network.  Swallowed, it is judged on its values; the host is unchanged."""

from attacks.attack import ERROR, PASS, POLICY, WRONG, body, swallowing

REACHES = {
    "deletes files": "import os, shutil; shutil.rmtree(TREE + '/folder'); os.unlink(TREE + '/file')",
    "deletes a file": "import os; os.unlink(TREE + '/file')",
    "moves a file": "import os; os.rename(TREE + '/file', TREE + '/folder/moved')",
    "writes a file": "open(TREE + '/file', 'w').write('mine')",
    "appends to a file": "open(TREE + '/file', 'a').write('mine')",
    "cuts a file": "import os; os.truncate(TREE + '/file', 0)",
    "makes a file": "open(TREE + '/new', 'x')",
    "makes a folder": "import os; os.mkdir(TREE + '/new')",
    "opens up a file": "import os; os.chmod(TREE + '/file', 0o777)",
    "changes a file's times": "import os; os.utime(TREE + '/file', (0, 0))",
    "links a file": "import os; os.link(TREE + '/file', TREE + '/new')",
    "links a file by name": "import os; os.symlink(TREE + '/file', TREE + '/new')",
    "marks a file": "import os; os.setxattr(TREE + '/file', 'user.mark', b'mine')",
    "TCP": "import socket; socket.create_connection(('127.0.0.1', TCP), 1).send(b'x')",
    "UDP": "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', UDP))",
    "a unix socket": "import socket; socket.socket(socket.AF_UNIX).connect(TREE + '/socket')",
    "DNS": "import socket; print(socket.getaddrinfo('example.org', 80))",
    "listens": "import socket; socket.create_server(('127.0.0.1', 0))",
}
ATTACKS = {
    f"{name}, {how}": body(code, *verdicts, portable=False)
    for name, reach in REACHES.items()
    for how, code, verdicts in (
        ("swallowing, wrong", swallowing(reach), [WRONG]),
        ("swallowing, right", swallowing(reach, "right"), [PASS]),
        ("uncaught", reach, [POLICY, ERROR]),
    )
}
