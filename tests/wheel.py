"""Installs the built wheel into a new environment, away from the source folder, and uses it there.

python -m tests.wheel dist
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

STEPS = """
covary --version
covary init mathmist study
covary items draw --seed 1 --languages en,bn --out items.jsonl
covary plan quickstart --json
""".strip().splitlines()


def main(dist: Path) -> None:
    """Exit status 0 when the wheel holds all that the commands need."""
    (wheel,) = dist.resolve().glob("*.whl")
    lock = Path(__file__).resolve().parent.parent / "requirements.lock"
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        venv.create(root / "venv", with_pip=True)
        pip = [str(root / "venv/bin/python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "--constraint", str(_versions(lock, root)), str(wheel)], check=True, cwd=root)
        for step in STEPS:
            program, *words = step.split()
            subprocess.run([str(root / "venv/bin" / program), *words], check=True, cwd=root)
    print(f"{wheel.name}: {len(STEPS)} commands ran from the installed wheel")


def _versions(lock: Path, root: Path) -> Path:
    """The lock's versions without hashes, as constraints."""
    lines = [
        line.split(" \\")[0] for line in lock.read_text().splitlines() if "==" in line and not line.startswith(" ")
    ]
    path = root / "constraints.txt"
    path.write_text("\n".join(lines))
    return path


if __name__ == "__main__":
    main(Path(sys.argv[1]))
