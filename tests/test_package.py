"""What an installed copy holds."""

import subprocess
import sys
import zipfile
from pathlib import Path

import alignframe
from alignframe.session import sql_folder

ROOT = Path(__file__).resolve().parent.parent


def test_wheel_holds_the_sql(tmp_path):
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        for script in sql_folder().glob("*.sql"):
            assert archive.read(f"alignframe/sql/{script.name}") == script.read_bytes()
        for part in ("page.html.jinja", "page.css", "page.js"):
            assert f"alignframe/report/{part}" in names
        assert "alignframe/py.typed" in names
        archive.extractall(tmp_path / "installed")
    # The copy works where no checkout lies beside it.
    script = (
        "import alignframe; con = alignframe.connect();"
        "print(con.sql('select aer(100, 100, 50, 50)').fetchall()[0][0])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path / "installed",
        check=True,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(tmp_path / "installed"), "NUMBA_CACHE_DIR": str(tmp_path / "cache")},
    )
    assert done.stdout.strip() == "0.5"


def test_version_is_the_projects():
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    assert f'version = "{alignframe.__version__}"' in text
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert f"## {alignframe.__version__}" in changelog


def test_pins_name_no_host():
    pins = (ROOT / "constraints.txt").read_text("utf-8").split()
    assert pins
    assert all("==" in pin and "/" not in pin for pin in pins)


def test_kernels_work_where_no_folder_is_writable(monkeypatch):
    """Numba refuses to cache there; the kernel is then compiled without."""
    from alignframe.kernels import jit

    asked = []

    def refusing(function):
        asked.append(function)
        raise RuntimeError("cannot cache function: no locator available")

    monkeypatch.setattr(jit, "_Kept", refusing)
    assert jit.jit(lambda x: x + 1)(2) == 3
    assert len(asked) == 1
