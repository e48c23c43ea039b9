#!/usr/bin/env python3
"""Checks the machine code of the CUDA kernels for what makes them slow.

    lint_machine_code.py build/release/bin/libquire_cuda.so    # every kernel of every architecture in it
    lint_machine_code.py --table few_rows*.cubin               # also says what each kernel has
    lint_machine_code.py --json code.json few_rows*.cubin      # for tests/bench/gpu/machine_model/read_machine_code.py

Compares with the limits in kernels/cuda/machine_code_limits.txt, per kernel:
 - registers: of a thread;
 - local: instructions of local memory (spills, and arrays that are not in registers);
 - stack: bytes of a thread's stack frame;
and in its loops:
 - per_byte: instructions of a lane for a byte that it loads from global memory, in a loop that multiplies;
 - loads: the most loads from global memory that are under way before one is needed, in a loop that multiplies;
 - staging: the same in a loop that stages inputs;
 - generic: generic loads, which are slower than those whose memory the compiler knows;
 - slow: slow conversions, F2F, of which a GeForce GPU does two a clock and multiprocessor;
and of kernels that begin early:
 - ahead: loads of weights in front of the wait for the kernels before.
A loop that multiplies has tensor core instructions in it; a loop that stages inputs converts what it loads (F2FP) and
stores it in shared memory alone: of its loads those of two or more registers count, not the single ones at a row's end. Exits
with 1 if a kernel is beyond a limit, and with 77, with --skip, if a tool is missing.

And of kernels that begin early (kernels/cuda/launch.h), in front of the wait for the kernels before: no global memory is
written there, and none is read but weights, whose loads are marked (evict first). So the compiler has not moved a load
over it.

Needs nvdisasm, and cuobjdump for anything but cubins: of the CUDA toolkit, or from PyPI (nvidia-cuda-nvdisasm,
nvidia-cuda-cuobjdump), for instance in build/nvidia-tools, where `./dev test` installs them if
QUIRE_LINT_MACHINE_CODE=ON.
"""
import argparse
import concurrent.futures
import glob
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import sysconfig
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
LIMITS = os.path.join(ROOT, "kernels/cuda/machine_code_limits.txt")
SKIPPED = 77  # ctest's SKIP_RETURN_CODE.
LEAST = {"loads", "staging", "ahead"}  # Limits from below.

INSTRUCTION = re.compile(r"/\*([0-9a-f]{4,})\*/\s+(@!?U?P\w+\s+)?([A-Z0-9_.]+)\s*(.*?)\s*;")
LABEL = re.compile(r"^(\.L_x_\d+):")
REGISTER = re.compile(r"\bR(\d+)(?:\.(64|128))?\b")


def find_tool(name):
    """In PATH, beside nvcc, in this Python's packages, or where `./dev test` installs it; None if there is none."""
    found = shutil.which(name)
    nvcc = os.environ.get("CUDACXX") or shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    roots = [os.path.dirname(os.path.dirname(nvcc)), "/usr/local/cuda", sysconfig.get_paths()["purelib"], *sys.path,
             f"{ROOT}/build/nvidia-tools/lib/python3*/site-packages"]
    for root in roots:
        found = found or next(iter(glob.glob(f"{root}/nvidia/*/bin/{name}") + glob.glob(f"{root}/bin/{name}")), None)
    return found


def read_limits(text):
    """Lines of architectures, kernels and a limit for each of the columns that the first line names."""
    columns, *rows = [line.split() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    for row in rows:
        if len(row) != len(columns):
            sys.exit(f"{LIMITS}: {len(row)} columns instead of {len(columns)}: {' '.join(row)}")
    return [(row[0], row[1], dict(zip(columns[2:], row[2:]))) for row in rows]


def limits_of(limits, architecture, name):
    """Of all lines that fit a kernel; for each column the last of them that says something."""
    found = {}
    for architectures, kernels, values in limits:
        if re.fullmatch(architectures, architecture) and re.search(kernels, name):
            found.update({column: value for column, value in values.items() if value != "-"})
    return {column: float(value) for column, value in found.items() if value != "any"}


def facts_by_kernel(cubin):
    """Registers and bytes of stack: in .nv.info the attributes 0x2f and 0x11 have a kernel's symbol and these."""
    with open(cubin, "rb") as file:
        data = file.read()
    offset, = struct.unpack_from("<Q", data, 0x28)
    _, count, names_index = struct.unpack_from("<HHH", data, 0x3A)
    headers = [struct.unpack_from("<IIQQQQII", data, offset + i * 64) for i in range(count)]
    text_at = lambda place: data[place:data.index(b"\0", place)].decode()
    sections = {text_at(headers[names_index][4] + header[0]): header for header in headers}
    symbols, strings, info = (sections[name] for name in (".symtab", ".strtab", ".nv.info"))
    facts = {}
    at, end = info[4], info[4] + info[5]
    while at + 4 <= end:
        form, attribute, value = struct.unpack_from("<BBH", data, at)
        key = {0x2F: "registers", 0x11: "stack"}.get(attribute)
        if form == 4 and key:
            symbol, number = struct.unpack_from("<II", data, at + 4)
            name, = struct.unpack_from("<I", data, symbols[4] + symbol * 24)
            facts.setdefault(text_at(strings[4] + name), {})[key] = number
        at += 4 + (value if form == 4 else 0)  # Other forms have their value in these bytes.
    return facts


WAIT = "ACQBULK"  # For the kernels before: griddepcontrol.wait.


class Instruction:
    def __init__(self, address, predicate, opcode, operands):
        self.address = address
        self.is_sometimes = bool(predicate)
        self.parts = opcode.split(".")
        self.name = self.parts[0]
        self.operands = operands
        self.target = None  # Of a branch.

    def registers(self, text, width=1):
        found = set()
        for number, wide in REGISTER.findall(text):
            count = {"": width, "64": 2, "128": 4}[wide]
            found.update(range(int(number), int(number) + count))
        return found

    def loaded(self):
        """The registers that a load writes."""
        width = 4 if "128" in self.parts else 2 if "64" in self.parts else 1
        return self.registers(self.operands.split(",")[0], width)

    def touched(self):
        """The registers that it reads or writes; of wide operands the first and the next, which is enough to see that
        something waits for them."""
        width = 4 if self.name in ("HMMA", "STS", "STG") else 2
        return self.registers(self.operands, width)


class Kernel:
    def __init__(self, name, facts):
        self.name = name
        self.registers = facts.get("registers", 0)
        self.stack = facts.get("stack", 0)
        self.code = []

    def loops(self, is_wanted):
        """From the target of a backward branch to it: those that are wanted and have no smaller wanted one in them."""
        ends = [i for i, at in enumerate(self.code) if at.target is not None and at.target <= at.address]
        places = {at.address: i for i, at in enumerate(self.code)}
        spans = [(places.get(self.code[end].target, end), end) for end in ends]
        spans = [(b, e) for b, e in spans if is_wanted(self.code[b:e + 1])]
        return [self.code[b:e + 1] for b, e in spans
                if not any((b, e) != (b2, e2) and b <= b2 and e2 <= e for b2, e2 in spans)]

    def count(self, *names):
        return sum(at.name in names for at in self.code)


def most_loads_in_flight(code, least_width=1):
    """Of at least so many registers. By the order of the instructions; what is behind a branch that is always taken is another path."""
    flying = []
    most = 0
    for at in code:
        if at.name in ("LDG", "LD"):
            address = at.operands.partition(",")[2]
            needed = at.registers(address, 2)
            flying = [regs for regs in flying if not regs & needed]
            flying.append(at.loaded())
            most = max(most, sum(len(regs) >= least_width for regs in flying))
        elif at.name in ("BRA", "EXIT") and not at.is_sometimes:
            flying = []
        elif flying:
            touched = at.touched()
            flying = [regs for regs in flying if not regs & touched]
    return most


def instructions_per_byte(loop):
    """Of a lane; None where it loads nothing."""
    loaded = sum(4 * len(at.loaded()) for at in loop if at.name == "LDG")
    return len(loop) / loaded if loaded else None


def is_weight_load(at):
    return at.name == "LDG" and "EF" in at.parts


def count_in_front(kernel, which, is_wanted):
    """Of the wanted instructions those in front of the first (0) or the last (-1) wait; None if the kernel does not wait.
    GEMMs of few rows have two: with a table of tiles they wait before they read it."""
    waits = [i for i, at in enumerate(kernel.code) if at.name == WAIT]
    return sum(map(is_wanted, kernel.code[:waits[which]])) if waits else None


def measure(kernel):
    """What limits are compared with, then what only the table shows; None for what the kernel does not have."""
    has = lambda loop, *names: any(at.name in names for at in loop)
    multiplying = kernel.loops(lambda loop: has(loop, "HMMA", "IMMA"))
    staging = kernel.loops(lambda loop: has(loop, "STS") and has(loop, "F2FP", "F2F") and has(loop, "LDG", "LD") and
                           not has(loop, "HMMA", "IMMA", "STG", "ST"))
    per_byte = [instructions_per_byte(loop) for loop in multiplying]
    return {
        "registers": kernel.registers,
        "local": kernel.count("LDL", "STL"),
        "stack": kernel.stack,
        "per_byte": max((number for number in per_byte if number is not None), default=None),
        "loads": max((most_loads_in_flight(loop) for loop in multiplying), default=None),
        "staging": min((most_loads_in_flight(loop, 2) for loop in staging), default=None),
        "generic": sum(at.name == "LD" for loop in multiplying + staging for at in loop),
        "slow": sum(at.name == "F2F" for loop in multiplying + staging for at in loop),
        "instructions": len(kernel.code),
        "loop": max((len(loop) for loop in multiplying), default=None),
        "loop tensor": sum(at.name in ("HMMA", "IMMA") for at in max(multiplying, key=len, default=[])),
        "tensor": kernel.count("HMMA", "IMMA"),
        "conversions": kernel.count("F2F"),
        "ahead": count_in_front(kernel, -1, is_weight_load),
        "early loads": count_in_front(kernel, 0, lambda at: at.name in ("LDG", "LD", "LDGSTS") and not is_weight_load(at)),
        "early writes": count_in_front(kernel, 0, lambda at: at.name in ("STG", "ST", "ATOM", "ATOMG", "RED", "REDG")),
    }


def broken_limits(limits, architecture, name, found):
    for column, limit in limits_of(limits, architecture, name).items():
        value = found[column]
        if value is None and column == "staging":
            yield "no loop that stages inputs"
        elif value is not None and (value < limit if column in LEAST else value > limit):
            yield f"{column} {value:.4g}, {'at least' if column in LEAST else 'at most'} {limit:g}"


def broken_order(found):
    """What a kernel that begins early must not do."""
    if found["early writes"]:
        yield f"{found['early writes']} writes in front of the wait for earlier kernels"
    if found["early loads"]:
        yield f"{found['early loads']} loads in front of the wait for earlier kernels"


def read_listing(text, facts):
    """The kernels in what nvdisasm writes."""
    kernels, labels, kernel = [], {}, None
    pending = []
    for line in text.splitlines():
        section = re.match(r"\s*\.section\s+\.text\.([^,\s]+)", line)
        if section:
            kernel = Kernel(section.group(1), facts.get(section.group(1), {}))
            kernels.append(kernel)
            continue
        label = LABEL.match(line)
        if label:
            pending.append(label.group(1))
            continue
        found = INSTRUCTION.search(line)
        if kernel is None or not found:
            continue
        address = int(found.group(1), 16)
        for name in pending:
            labels[name] = (kernel, address)
        pending = []
        kernel.code.append(Instruction(address, *found.groups()[1:]))
    for kernel in kernels:
        for at in kernel.code:
            jump = re.search(r"\.L_x_\d+", at.operands) if at.name == "BRA" else None
            place = labels.get(jump.group(0)) if jump else None
            if place and place[0] is kernel:
                at.target = place[1]
    return kernels


def readable(names):
    """By mangled name: a name short enough for a line, without spaces."""
    filt = shutil.which("c++filt")
    if not filt:
        return {name: name for name in names}
    out = subprocess.run([filt], input="\n".join(names), capture_output=True, text=True, check=True).stdout
    short = lambda text: re.sub(r"\(anonymous namespace\)::|quire::cuda::|^void | ", "", text).split(">(")[0]
    return {name: short(text) for name, text in zip(names, out.splitlines())}


def cubins_of(path, folder):
    if path.endswith(".cubin"):
        return [path]
    own = os.path.join(folder, str(len(os.listdir(folder))))
    os.mkdir(own)
    subprocess.run([find_tool("cuobjdump"), "-xelf", "all", os.path.abspath(path)], cwd=own, check=True,
                   stdout=subprocess.DEVNULL)
    return sorted(glob.glob(own + "/*.cubin"))


def lint(cubin, nvdisasm):
    text = subprocess.run([nvdisasm, "-c", cubin], capture_output=True, text=True, check=True).stdout
    architecture = re.search(r"\.target\s+(sm_\d+)", text).group(1)
    return [(architecture, kernel.name, measure(kernel)) for kernel in read_listing(text, facts_by_kernel(cubin))]


def missing_tools(files):
    names = ["nvdisasm"] if all(path.endswith(".cubin") for path in files) else ["nvdisasm", "cuobjdump"]
    return [name for name in names if not find_tool(name)]


def is_limited(cubin, limits):
    """Whether any of its kernels is, on any architecture."""
    names = readable(facts_by_kernel(cubin)).values()
    return any(re.search(kernels, name) for _, kernels, _ in limits for name in names)


def lint_all(files, limits):
    """(architecture, mangled name, what measure() says) of each kernel of the files, or of the cubins in them that have
    kernels with limits."""
    with tempfile.TemporaryDirectory() as folder:
        cubins = [cubin for path in files for cubin in cubins_of(path, folder)]
        if limits is not None:
            cubins = [cubin for cubin in cubins if is_limited(cubin, limits)]
        with concurrent.futures.ProcessPoolExecutor() as pool:
            return [row for found in pool.map(lint, cubins, [find_tool("nvdisasm")] * len(cubins)) for row in found]


def findings(limits, rows, is_library):
    """rows: with readable names. A library has all kernels, so that each line of limits is for one of them."""
    for architecture, name, found in rows:
        for broken in [*broken_limits(limits, architecture, name, found), *broken_order(found)]:
            yield f"{architecture} {name}: {broken}"
    for _, kernels, _ in limits if is_library else []:
        if not any(re.search(kernels, name) for _, name, _ in rows):
            yield f"no kernel is named {kernels} any more"


def write_json(path, rows, names):
    kernels = {}
    for architecture, name, found in rows:
        kernels.setdefault(architecture, {})[names[name]] = found
    with open(path, "w", encoding="utf-8") as file:
        json.dump(kernels, file, indent=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", help="libquire_cuda.so, objects of nvcc, or cubins")
    parser.add_argument("--json", metavar="FILE", help="write what every kernel has, by architecture and kernel")
    parser.add_argument("--table", action="store_true", help="print what every kernel has, not only those with limits")
    parser.add_argument("--skip", action="store_true", help="exit with 77 if nvdisasm or cuobjdump is missing")
    options = parser.parse_args()
    missing = missing_tools(options.files)
    if missing:
        print(f"the machine code is not checked: there is no {' and no '.join(missing)}, which are on PyPI:",
              *[f"nvidia-cuda-{name}" for name in missing])
        return SKIPPED if options.skip else 1
    with open(LIMITS) as file:
        limits = read_limits(file.read())
    rows = lint_all(options.files, None if options.table or options.json else limits)
    names = readable([name for _, name, _ in rows])
    if options.json:
        write_json(options.json, rows, names)
    rows = [(architecture, names[name], found) for architecture, name, found in rows]
    if options.table:
        for architecture, name, found in rows:
            print(architecture, name, *[f"{key}={value:.4g}" for key, value in found.items() if value is not None])
    broken = list(findings(limits, rows, any(path.endswith(".so") for path in options.files)))
    print(*broken, f"{len(rows)} kernels, {len(broken)} findings", sep="\n")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
