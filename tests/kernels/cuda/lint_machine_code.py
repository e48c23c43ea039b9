#!/usr/bin/env python3
"""Checks the machine code of the CUDA kernels for what makes them slow.

    lint_machine_code.py build/release/bin/libquire_cuda.so    # every kernel of every architecture in it
    lint_machine_code.py --table few_rows*.cubin               # only says what is there
    lint_machine_code.py --json code.json few_rows*.cubin      # for tests/bench/gpu/machine_model/read_machine_code.py

Per kernel: registers; instructions of local memory (spills, and arrays that are not in registers); and in its loops:
 - loads in flight: the most loads from global memory that are under way before one is needed;
 - generic loads, which are slower than those whose memory the compiler knows;
 - slow conversions: F2F, of which a GeForce GPU does two a clock and multiprocessor.
A loop that multiplies has tensor core instructions in it; a loop that stages inputs converts what it loads (F2FP) and
stores it in shared memory: of its loads those of two or more registers count, not the single ones at a row's end. Exits
with 1 if a kernel breaks a rule.

Needs nvdisasm, and cuobjdump for anything but cubins: of the CUDA toolkit, or `pip install nvidia-cuda-nvdisasm
nvidia-cuda-cuobjdump`.
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

# Kernels that may use local memory: those of formats whose threads decode whole blocks (kernels/cuda/CMakeLists.txt),
# on every architecture; on some, others to so many instructions.
DECODES_BLOCKS = r"(Iq[123]|Tq[12]_0|Q[12]_0Format|Nvfp4|Nf4|Int4By|Int8Format|Fp8Format|unpack_weights|embed)"
ALLOWED_LOCAL = [
    # (architectures, kernel, instructions)
    (r".*", DECODES_BLOCKS, None),
    (r"sm_1\d\d", r"attention_tiles?", 24),
]
# Where inputs are staged, so many loads have to be in flight.
LEAST_STAGING_LOADS = [(r"few_rows_kernel", 4)]
# Generic loads in loops that are known: the plan of attention has pointers in memory, and the compiler does not know to
# which. They are read once a tile or split.
ALLOWED_GENERIC = [(r"attention_tiles", 20)]

INSTRUCTION = re.compile(r"/\*([0-9a-f]{4,})\*/\s+(@!?U?P\w+\s+)?([A-Z0-9_.]+)\s*(.*?)\s*;")
LABEL = re.compile(r"^(\.L_x_\d+):")
REGISTER = re.compile(r"\bR(\d+)(?:\.(64|128))?\b")


def find_tool(name):
    """In PATH, beside nvcc, or in this Python's packages."""
    found = shutil.which(name)
    roots = [sysconfig.get_paths()["purelib"], *sys.path, "/usr/local/cuda"]
    for root in roots:
        found = found or next(iter(glob.glob(f"{root}/nvidia/*/bin/{name}") + glob.glob(f"{root}/bin/{name}")), None)
    if not found:
        sys.exit(f"there is no {name}: pip install nvidia-cuda-{name}")
    return found


def registers_by_kernel(cubin):
    """From .nv.info, where an attribute 0x2f has a kernel's symbol and its registers."""
    with open(cubin, "rb") as file:
        data = file.read()
    offset, = struct.unpack_from("<Q", data, 0x28)
    _, count, names_index = struct.unpack_from("<HHH", data, 0x3A)
    headers = [struct.unpack_from("<IIQQQQII", data, offset + i * 64) for i in range(count)]
    text_at = lambda place: data[place:data.index(b"\0", place)].decode()
    sections = {text_at(headers[names_index][4] + header[0]): header for header in headers}
    symbols, strings, info = (sections[name] for name in (".symtab", ".strtab", ".nv.info"))
    registers = {}
    at, end = info[4], info[4] + info[5]
    while at + 4 <= end:
        form, attribute, value = struct.unpack_from("<BBH", data, at)
        if form == 4 and attribute == 0x2F:
            symbol, number = struct.unpack_from("<II", data, at + 4)
            name, = struct.unpack_from("<I", data, symbols[4] + symbol * 24)
            registers[text_at(strings[4] + name)] = number
        at += 4 + (value if form == 4 else 0)  # Other forms have their value in these bytes.
    return registers


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
    def __init__(self, name, registers):
        self.name = name
        self.registers = registers
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


def measure(kernel):
    has = lambda loop, *names: any(at.name in names for at in loop)
    multiplying = kernel.loops(lambda loop: has(loop, "HMMA", "IMMA"))
    staging = kernel.loops(lambda loop: has(loop, "STS") and has(loop, "F2FP", "F2F") and has(loop, "LDG", "LD") and
                           not has(loop, "HMMA", "IMMA"))
    return {
        "registers": kernel.registers,
        "instructions": len(kernel.code),
        "local": kernel.count("LDL", "STL"),
        "tensor": kernel.count("HMMA", "IMMA"),
        "wide loads": sum(at.name == "LDG" and "128" in at.parts for at in kernel.code),
        "staging loads": min((most_loads_in_flight(loop, 2) for loop in staging), default=None),
        "loop": max((len(loop) for loop in multiplying), default=None),
        "loop tensor": sum(at.name in ("HMMA", "IMMA") for at in max(multiplying, key=len, default=[])),
        "loads in flight": max((most_loads_in_flight(loop) for loop in multiplying), default=None),
        "generic": sum(at.name == "LD" for loop in multiplying + staging for at in loop),
        "slow": sum(at.name == "F2F" for loop in multiplying + staging for at in loop),
        "conversions": kernel.count("F2F"),
    }


def broken_rules(architecture, name, found):
    allowed = 0
    for architectures, kernel, instructions in ALLOWED_LOCAL:
        if re.fullmatch(architectures, architecture) and re.search(kernel, name):
            allowed = float("inf") if instructions is None else max(allowed, instructions)
    if found["local"] > allowed:
        yield f"{found['local']} instructions of local memory"
    staging = found["staging loads"]
    for kernel, least in LEAST_STAGING_LOADS:
        if re.search(kernel, name) and staging is not None and staging < least:
            yield f"only {staging} loads in flight where inputs are staged"
    if found["generic"] > max([number for kernel, number in ALLOWED_GENERIC if re.search(kernel, name)], default=0):
        yield f"{found['generic']} generic loads in its loops"
    if found["slow"] and architecture != "sm_75":  # Which has no other conversion.
        yield f"{found['slow']} slow conversions in its loops"


def read_listing(text, registers):
    """The kernels in what nvdisasm writes."""
    kernels, labels, kernel = [], {}, None
    pending = []
    for line in text.splitlines():
        section = re.match(r"\s*\.section\s+\.text\.([^,\s]+)", line)
        if section:
            kernel = Kernel(section.group(1), registers.get(section.group(1), 0))
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
    """By mangled name; short enough for a line."""
    filt = shutil.which("c++filt")
    if not filt:
        return {name: name for name in names}
    out = subprocess.run([filt], input="\n".join(names), capture_output=True, text=True, check=True).stdout
    short = lambda text: re.sub(r"\(anonymous namespace\)::|quire::cuda::|^void ", "", text).split(">(")[0]
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
    return [(architecture, kernel.name, measure(kernel)) for kernel in read_listing(text, registers_by_kernel(cubin))]


def write_json(path, rows, names):
    kernels = {}
    for architecture, name, found in rows:
        kernels.setdefault(architecture, {})[names[name]] = found
    with open(path, "w", encoding="utf-8") as file:
        json.dump(kernels, file, indent=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", help="libquire_cuda.so, objects of nvcc, or cubins")
    parser.add_argument("--table", action="store_true", help="print what every kernel has")
    parser.add_argument("--json", metavar="FILE", help="write what every kernel has, by architecture and kernel")
    options = parser.parse_args()
    nvdisasm = find_tool("nvdisasm")
    with tempfile.TemporaryDirectory() as folder:
        cubins = [cubin for path in options.files for cubin in cubins_of(path, folder)]
        with concurrent.futures.ProcessPoolExecutor() as pool:
            rows = [row for found in pool.map(lint, cubins, [nvdisasm] * len(cubins)) for row in found]
    names = readable([name for _, name, _ in rows])
    if options.json:
        write_json(options.json, rows, names)
    num_broken = 0
    for architecture, name, found in rows:
        if options.table:
            print(architecture, names[name], ", ".join(f"{key} {value}" for key, value in found.items()
                                                       if value is not None))
        for rule in broken_rules(architecture, names[name], found):
            num_broken += 1
            print(f"{architecture} {names[name]}: {rule}")
    print(f"{len(rows)} kernels, {num_broken} findings")
    return 1 if num_broken else 0


if __name__ == "__main__":
    sys.exit(main())
