#!/usr/bin/env python3
"""lint_machine_code.py on short listings and with the table of limits; needs none of NVIDIA's tools."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import lint_machine_code as lint

# Two loads and their conversions, one after the other, then the same together.
ONE_BY_ONE = """
    LDG.E.64 R4, desc[UR8][R2.64] ;
    F2FP.F16.F32.PACK_AB R8, R5, R4 ;
    LDG.E.64 R6, desc[UR8][R2.64+0x20] ;
    F2FP.F16.F32.PACK_AB R9, R7, R6 ;
"""
TOGETHER = """
    LDG.E.64 R4, desc[UR8][R2.64] ;
    LDG.E.64 R6, desc[UR8][R2.64+0x20] ;
    F2FP.F16.F32.PACK_AB R8, R5, R4 ;
    F2FP.F16.F32.PACK_AB R9, R7, R6 ;
"""
STORE = "    STS.64 [R10], R8 ;\n"
MULTIPLY = "    HMMA.16816.F32 R12, R8, R4, R12 ;\n"
SLOW = "    LD.E R4, desc[UR8][R2.64] ;\n    F2F.F16.F32 R5, R4 ;\n"
LIMITS = lint.read_limits("""
# A comment.
architectures kernels  registers local stack per_byte loads staging generic slow
.*            .*       100       0     0     -        -     -       0       0
sm_75         .*       -         -     -     -        -     -       -       any
.*            ^few     -         -     -     2.5      2     -       -       -
.*            ^staged  -         -     -     -        -     4       -       -
.*            ^large   255       any   16    -        -     -       3       -
""")


def kernel_of(body, facts=None):
    """A kernel with that code in a loop."""
    lines = ["\t.section\t.text.kernel,\"ax\",@progbits", ".L_x_0:"]
    code = [line.strip() for line in body.strip().splitlines()] + ["@P0 BRA `(.L_x_0) ;", "EXIT ;"]
    lines += [f"        /*{16 * i:04x}*/                   {line}" for i, line in enumerate(code)]
    return lint.read_listing("\n".join(lines), {"kernel": facts or {}})[0]


def measured(body):
    return lint.measure(kernel_of(body))


def broken(body, name="another", architecture="sm_90", facts=None):
    return list(lint.broken_limits(LIMITS, architecture, name, lint.measure(kernel_of(body, facts))))


class LintTest(unittest.TestCase):
    def test_loads_are_counted_until_one_is_needed(self):
        self.assertEqual(measured(ONE_BY_ONE + STORE)["staging"], 1)
        self.assertEqual(measured(TOGETHER + STORE)["staging"], 2)

    def test_the_largest_loop_and_its_products_are_counted(self):
        found = lint.measure(kernel_of(TOGETHER + MULTIPLY))
        self.assertEqual((found["loop"], found["loop tensor"]), (6, 1))  # With the branch.
        self.assertEqual(lint.measure(kernel_of(TOGETHER))["loop tensor"], 0)

    def test_what_every_kernel_has_is_written_for_others(self):
        found = lint.measure(kernel_of(TOGETHER + MULTIPLY))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "code.json")
            lint.write_json(path, [("sm_90", "_Z1f", found)], {"_Z1f": "f<1>"})
            with open(path, encoding="utf-8") as file:
                self.assertEqual(json.load(file), {"sm_90": {"f<1>": found}})

    def test_an_address_that_was_loaded_is_needed(self):
        chain = "LDG.E.64 R4, desc[UR8][R2.64] ;\nLDG.E.64 R6, desc[UR8][R4.64] ;\n"
        self.assertEqual(measured(chain + MULTIPLY)["loads"], 1)
        self.assertEqual(broken(chain + MULTIPLY, "few<1"), ["loads 1, at least 2"])

    def test_serial_staging_is_found_where_it_is_limited(self):
        self.assertEqual(broken(ONE_BY_ONE + STORE, "staged<1"), ["staging 1, at least 4"])
        self.assertEqual(broken(ONE_BY_ONE + STORE), [])
        both = TOGETHER.replace("R2", "R20") + TOGETHER
        self.assertEqual(broken(both + STORE, "staged<1"), ["staging 2, at least 4"])
        self.assertEqual(broken(MULTIPLY, "staged<1"), ["no loop that stages inputs"])

    def test_results_that_are_converted_are_not_staged(self):
        self.assertIsNone(measured(ONE_BY_ONE + STORE + "    STG.E [R10], R8 ;\n")["staging"])

    def test_instructions_for_a_byte_are_those_of_the_loop_that_multiplies(self):
        loop = TOGETHER + MULTIPLY  # With its branch six instructions, for sixteen bytes.
        self.assertEqual(measured(loop)["per_byte"], 6 / 16)
        self.assertIsNone(measured(STORE + MULTIPLY)["per_byte"])
        long = loop + 40 * "    IADD3 R20, R20, 0x1, RZ ;\n"
        self.assertEqual(broken(long, "few<1"), ["per_byte 2.875, at most 2.5"])
        self.assertEqual(broken(long), [])

    def test_registers_and_stack_are_limited(self):
        facts = {"registers": 101, "stack": 8}
        self.assertEqual(broken(STORE, facts=facts), ["registers 101, at most 100", "stack 8, at most 0"])
        self.assertEqual(broken(STORE, "large", facts=facts), [])

    def test_local_memory_is_found(self):
        self.assertEqual(broken("STL [R1], R4 ;\nLDL R4, [R1] ;"), ["local 2, at most 0"])
        self.assertEqual(broken("STL [R1], R4 ;", "large"), [])

    def test_generic_loads_and_slow_conversions_count_in_loops_that_multiply(self):
        self.assertEqual(broken(SLOW + MULTIPLY), ["generic 1, at most 0", "slow 1, at most 0"])
        self.assertEqual(broken(SLOW), [])
        self.assertEqual(broken(SLOW + MULTIPLY, architecture="sm_75"), ["generic 1, at most 0"])
        self.assertEqual(broken(SLOW + MULTIPLY, "large"), ["slow 1, at most 0"])

    def test_what_stands_in_front_of_the_wait_is_found(self):
        load, store, wait = "LDG.E R4, desc[UR8][R2.64] ;\n", "@P0 STG.E desc[UR8][R2.64], R4 ;\n", "ACQBULK ;\n"
        weight = "@!P3 LDG.E.EF.128 R8, desc[UR8][R6.64] ;\n"
        of = lambda body: list(lint.broken_order(measured(body)))
        self.assertEqual(of(wait + load + store), [])
        self.assertEqual(of(load + store), [])  # It begins in order.
        self.assertEqual(of(load + wait), ["1 loads in front of the wait for earlier kernels"])
        self.assertEqual(of(store + wait), ["1 writes in front of the wait for earlier kernels"])
        self.assertEqual(of(weight + wait), [])
        self.assertEqual(measured(wait + load + 2 * weight + wait + weight)["ahead"], 2)
        self.assertIsNone(measured(weight)["ahead"])

    def test_limits_for_kernels_that_are_gone_are_found(self):
        rows = [("sm_90", "few<1", measured(STORE)), ("sm_90", "staged<1", {**measured(STORE), "staging": 4})]
        self.assertEqual(list(lint.findings(LIMITS, rows, True)), ["no kernel is named ^large any more"])
        self.assertEqual(list(lint.findings(LIMITS, rows, False)), [])

    def test_a_line_without_all_columns_is_refused(self):
        with self.assertRaises(SystemExit):
            lint.read_limits("architectures kernels registers\n.* .*\n")

    def test_the_kernels_limits_can_be_read(self):
        with open(lint.LIMITS) as file:
            limits = lint.read_limits(file.read())
        known = lint.measure(kernel_of(STORE)).keys()
        for architecture, kernel in (("sm_75", "Int8Gemm<Q4KFormat>"), ("sm_90", "Q4KFormat"), ("sm_120", "Int8Gemm<Q4KFormat>")):
            found = lint.limits_of(limits, architecture, f"few_rows_kernel<{kernel},1")
            self.assertEqual(found["registers"], 128)
            self.assertLessEqual(found.keys(), known)

    def test_without_tools_it_is_skipped_and_says_so(self):
        program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lint_machine_code.py")
        script = f"import runpy, sys, glob; glob.glob = lambda p: []; sys.argv = ['lint', '--skip', 'x.so']; " \
                 f"runpy.run_path({program!r}, run_name='__main__')"
        done = subprocess.run([sys.executable, "-c", script], env={"PATH": ""}, capture_output=True, text=True)
        self.assertEqual(done.returncode, lint.SKIPPED)
        self.assertIn("nvidia-cuda-nvdisasm", done.stdout)


if __name__ == "__main__":
    unittest.main()
