#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds the program with every library in a private prefix, as an unprivileged user, while the system has none of them.

usage: private_prefix_test.py CMAKE
Unpacks the Debian packages that docs/installing.md names into a folder, and removes their files from this process's view of
/usr. Status 77 where apt, overlays or namespaces are missing.
"""
from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
CMAKE = sys.argv[1]
FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="reprise_private_"))
PREFIX = FOLDER / "prefix" / "usr"
HOME = FOLDER / "home"
BUILD = HOME / "build"
ARCHITECTURE = "x86_64-linux-gnu"
# What remains installed: the tools that docs/installing.md expects of every machine, and what they need.
TOOLS = ("build-essential", "cmake", "ninja-build", "pkg-config", "python3", "git", "apt", "util-linux")
NOBODY = 65534
IS_ROOT = os.geteuid() == 0
NAMESPACE = ["unshare", "--mount"] if IS_ROOT else ["unshare", "--user", "--map-root-user", "--mount"]
AS_USER = f"setpriv --reuid={NOBODY} --regid={NOBODY} --clear-groups" if IS_ROOT else "unshare --user"
HIDE = f"""mount -t overlay overlay -o lowerdir=/usr,upperdir="$1",workdir="$2" /usr && xargs -d '\\n' rm -f <"$3" && shift 3 &&
exec {AS_USER} "$@" """


def text_of(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def libraries_of_the_guide() -> list[str]:
    """The development packages in the column of Debian."""
    guide = (ROOT / "docs" / "installing.md").read_text(encoding="utf-8")
    cells = [line.split("|")[2] for line in guide.splitlines() if line.startswith("| ")]
    names = set(re.findall(r"\b[\w.+-]*-(?:dev|headers)\b|nlohmann-json3-dev", " ".join(cells)))
    return sorted(names - {"libcatch2-dev"})


def installed_packages() -> set[str]:
    lines = text_of("dpkg-query", "-W", "-f", "${Package} ${db:Status-Status}\\n").splitlines()
    return {line.split()[0] for line in lines if line.endswith(" installed")}


def with_dependencies(names: list[str], installed: set[str]) -> set[str]:
    """These packages and all that they depend on, as far as they are installed."""
    without = [f"--no-{kind}" for kind in ("recommends", "suggests", "conflicts", "breaks", "replaces", "enhances")]
    lines = text_of("apt-cache", "depends", "--recurse", *without, *names).splitlines()
    return {line.split(":")[0] for line in lines if line and line[0] not in " <|"} & installed


def unpack(packages: set[str]) -> None:
    archives = FOLDER / "archives"
    archives.mkdir(exist_ok=True)
    subprocess.run(["apt-get", "download", "-q", *sorted(packages)], cwd=archives, check=True, capture_output=True)
    for archive in archives.glob("*.deb"):
        subprocess.run(["dpkg", "-x", archive, PREFIX.parent], check=True)
    shutil.rmtree(archives)


def owners_of_lost_libraries() -> set[str]:
    """Packages whose libraries the unpacked links point at: those that a tool needs too are not unpacked yet."""
    links = [link for link in (PREFIX / "lib" / ARCHITECTURE).rglob("*.so") if link.is_symlink() and not link.exists()]
    targets = [str(pathlib.Path("/usr") / (link.parent / link.readlink()).relative_to(PREFIX)) for link in links
               if not link.readlink().is_absolute()]
    found = subprocess.run(["dpkg", "-S", *targets], capture_output=True, text=True).stdout.splitlines() if targets else []
    return {line.split(":")[0] for line in found}


def files_of(packages: set[str]) -> list[str]:
    paths = {line for line in text_of("dpkg", "-L", *sorted(packages)).splitlines() if line.startswith("/usr/")}
    return sorted(path for path in paths if os.path.islink(path) or os.path.isfile(path))


def can_hide() -> bool:
    if any(shutil.which(tool) is None for tool in ("apt-get", "dpkg", "unshare")):
        return False
    upper, work = FOLDER / "try", FOLDER / "try-work"
    upper.mkdir()
    work.mkdir()
    command = [*NAMESPACE, "sh", "-c", HIDE, "sh", upper, work, "/dev/null", "true"]
    return subprocess.run(command, capture_output=True).returncode == 0


def run_without(hidden: pathlib.Path, *command: str | os.PathLike[str]) -> subprocess.CompletedProcess[str]:
    """Runs a command as an unprivileged user who does not see the hidden files."""
    upper, work = (pathlib.Path(tempfile.mkdtemp(dir=FOLDER)) for _ in range(2))
    upper.chmod(0o755)  # it stands for /usr
    libraries = PREFIX / "lib" / ARCHITECTURE
    return subprocess.run(
        [*NAMESPACE, "sh", "-c", HIDE, "sh", upper, work, hidden, *command], capture_output=True, text=True, cwd=HOME,
        env={"PATH": "/usr/bin:/bin", "HOME": str(HOME), "OPAL_PREFIX": str(PREFIX),
             "LD_LIBRARY_PATH": f"{libraries}:{libraries / 'openblas-pthread'}"})


class APrivatePrefix(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.addClassCleanup(shutil.rmtree, FOLDER)
        FOLDER.chmod(0o755)
        HOME.mkdir()
        if IS_ROOT:
            os.chown(HOME, NOBODY, NOBODY)
        installed = installed_packages()
        cls.libraries = [name for name in libraries_of_the_guide() if name in installed]
        cls.packages = with_dependencies(cls.libraries, installed) - with_dependencies(list(TOOLS), installed)
        unpack(cls.packages)
        unpack(owners_of_lost_libraries())
        cls.hidden = FOLDER / "hidden"
        cls.hidden.write_text("\n".join(files_of(cls.packages)), encoding="utf-8")
        cls.configured = run_without(
            cls.hidden, CMAKE, "-S", ROOT, "-B", BUILD, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O1",
            "-DBUILD_TESTING=OFF", "-DREPRISE_CUDA=OFF", f"-DCMAKE_PREFIX_PATH={PREFIX}", "-DMPI_EXECUTABLE_SUFFIX=.openmpi")

    def test_1_the_guide_names_the_libraries(self) -> None:
        self.assertGreater(len(self.libraries), 15, self.libraries)

    def test_2_hidden_files_are_gone_and_nothing_is_privileged(self) -> None:
        told = run_without(self.hidden, "sh", "-c", "id -u; ls /usr/include/muParser.h; touch /usr/mine")
        self.assertNotEqual(told.stdout.strip(), "0")
        self.assertIn("cannot access '/usr/include/muParser.h'", told.stderr)
        self.assertIn("cannot touch '/usr/mine'", told.stderr)

    def test_3_everything_is_found_in_the_prefix(self) -> None:
        self.assertEqual(self.configured.returncode, 0, self.configured.stdout + self.configured.stderr)
        backends = dict(re.findall(r"-- (\w+) +(yes|no) ", self.configured.stdout))
        for backend in ("OPENCL", "OPENGL", "LAPACK", "HYPRE", "CVODE", "MPI", "METIS"):
            self.assertEqual(backends[backend], "yes", f"{backend}: {self.configured.stdout}")
        cache = dict(re.findall(r"^(\w+):(?:PATH|FILEPATH)=(/.*)$", (BUILD / "CMakeCache.txt").read_text(), re.MULTILINE))
        found = {name: place for name, place in cache.items() if re.search(r"_(LIBRARY|INCLUDE_DIR|INCLUDE_DIRS|DIR)$", name)}
        elsewhere = {name: place for name, place in found.items()
                     if not place.startswith((str(PREFIX), str(BUILD), str(ROOT)))}
        compilers_own = {name for name in elsewhere if re.match(r"OpenMP_|NCCL_|CMAKE_", name)}
        self.assertEqual({name: elsewhere[name] for name in set(elsewhere) - compilers_own}, {})
        self.assertGreater(len(found) - len(elsewhere), 20)

    def test_4_the_program_is_built_and_its_answers_are_right(self) -> None:
        jobs = str(os.cpu_count())
        built = run_without(self.hidden, CMAKE, "--build", BUILD, "--target", "reprise", "-j", jobs)
        self.assertEqual(built.returncode, 0, (built.stdout + built.stderr)[-4000:])
        variants = ["jacobi/openmp", "angiogenesis/lapack_lu", "angiogenesis/hypre_gmres", "atrium/cvode_bdf"]
        checked = run_without(self.hidden, BUILD / "bin" / "reprise", "verify", *variants, "--device", "cpu")
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)

    def test_5_an_installed_program_finds_its_libraries(self) -> None:
        installed = run_without(self.hidden, CMAKE, "--install", BUILD, "--prefix", HOME / "installed")
        self.assertEqual(installed.returncode, 0, installed.stdout + installed.stderr)
        program = HOME / "installed" / "bin" / "reprise"
        self.assertIn(str(PREFIX / "lib" / ARCHITECTURE), text_of("readelf", "--dynamic", str(program)))


if __name__ == "__main__":
    if not can_hide():
        shutil.rmtree(FOLDER)
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
