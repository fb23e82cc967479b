"""The world of an attack: a copy of the judge and its exercises, files and sockets that must stay as they are."""

import hashlib
import os
import re
import select
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Self

from attacks.attack import Attack
from batch_class import with_environment

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 1.0
CASES = 23  # of evict_sinks
TREE = "tree"
TIME_LIMIT = re.compile(r"^time_limit = .*$", re.MULTILINE)
Seen = tuple[int, int, int, int, int, int]


class World:
    """A folder that `user` may write all over (None: whoever runs the tests), and processes that are told from others
    by its path.  A context manager."""

    def __init__(self, user: int | None) -> None:
        self.user = user
        self.top = Path(tempfile.mkdtemp(prefix="attacks-")).resolve()
        self.inside, self.outside = self.top / "inside", self.top / "outside"
        self.door = self.inside / "practice/judge.py"
        self.tree = self.inside / "practice/answers" / TREE

    def __enter__(self) -> Self:
        ignored = shutil.ignore_patterns("answers", "__pycache__")
        shutil.copytree(ROOT / "practice", self.inside / "practice", ignore=ignored)
        for card in self.inside.glob("practice/exercises/*/card.toml"):
            text, count = TIME_LIMIT.subn(f"time_limit = {LIMIT}", card.read_text(encoding="utf-8"))
            assert count == 1
            card.write_text(text, encoding="utf-8")
        subprocess.run([sys.executable, "-m", "compileall", "-q", str(self.inside / "practice")], check=True)
        for folder in ("tmp", "home", "state", "aside"):
            (self.outside / folder).mkdir(parents=True)
        (self.tree / "folder/inner").mkdir(parents=True)
        for name in ("file", "folder/one", "folder/inner/two"):
            (self.tree / name).write_text(f"the content of {name}\n" * 9)
        (self.tree / "link").symlink_to("file")
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", 0))
        self.unix = socket.socket(socket.AF_UNIX)
        self.unix.bind(str(self.tree / "socket"))
        self.unix.listen()
        return self

    def __exit__(self, *_: object) -> None:
        for opened in (self.tcp, self.udp, self.unix):
            opened.close()
        shutil.rmtree(self.top)

    def submit(self, name: str, attack: Attack) -> Path:
        """Write an attack's file; before `seal`."""
        path = self.inside / "practice/answers" / hashlib.sha256(name.encode()).hexdigest()[:12] / attack.file
        path.parent.mkdir(parents=True, exist_ok=True)
        source = attack.source
        if isinstance(source, str):
            source = f"{source}\n\n{self._below()}"
        path.write_bytes(source if isinstance(source, bytes) else source.encode())
        return path

    def seal(self) -> None:
        """From here on nothing inside may change.  Permissions would let `user` change everything."""
        for path in (self.top, *self.top.rglob("*")):
            if not path.is_symlink():
                path.chmod(0o777 if path.is_dir() or path.is_socket() else 0o666)
            if self.user is not None:
                os.chown(path, self.user, self.user, follow_symlinks=False)
        self._sealed = self._look()

    def changes(self) -> list[str]:
        """What is not as it was: files by path, and sockets that somebody has reached."""
        now = self._look()
        paths = [path for path in {**self._sealed, **now} if self._sealed.get(path) != now.get(path)]
        reached = select.select([self.tcp, self.udp, self.unix], [], [], 0)[0]
        return [*paths, *map(str, reached)]

    def processes(self) -> list[int]:
        """Processes that have to do with this world."""
        return with_environment(str(self.top))

    def environment(self, path: str) -> dict[str, str]:
        """The environment of a judge in this world."""
        homes = {"HOME": "home", "TMPDIR": "tmp", "XDG_STATE_HOME": "state"}
        own = {name: str(self.outside / folder) for name, folder in homes.items()}
        return {**own, "PATH": path, "LANG": "C.UTF-8", "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}

    def _look(self) -> dict[str, Seen]:
        return {str(path): _seen(path) for path in (self.inside, *self.inside.rglob("*"))}

    def _below(self) -> str:
        """What an attack finds below its own source."""
        reference = self.inside / "practice/exercises/evict_sinks/reference.py"
        right = reference.read_text(encoding="utf-8").replace("def evict_sinks(", "def right(")
        known = {"TREE": str(self.tree), "REFERENCE": str(reference), "JUDGE": str(self.door), "LIMIT": LIMIT}
        known |= {"TCP": self.tcp.getsockname()[1], "UDP": self.udp.getsockname()[1], "CASES": CASES}
        wrong = "def wrong(*arguments):\n    k, v, p = right(*arguments)\n    return k + 1, v, p\n"
        return "\n".join([right, wrong, *(f"{name} = {value!r}" for name, value in known.items())])


def _seen(path: Path) -> Seen:
    """All of a file that tells of a change: nobody without privileges can set back the time of its last one."""
    about = path.lstat()
    return about.st_mode, about.st_uid, about.st_size, about.st_mtime_ns, about.st_ctime_ns, about.st_nlink
