#!/usr/bin/env python3
"""The rules of lint_machine_code.py on short listings; needs none of NVIDIA's tools."""
import json
import os
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


def kernel_of(body, name="few_rows_kernel"):
    """A kernel with that code in a loop."""
    lines = [f"\t.section\t.text.{name},\"ax\",@progbits", ".L_x_0:"]
    code = [line.strip() for line in body.strip().splitlines()] + ["@P0 BRA `(.L_x_0) ;", "EXIT ;"]
    lines += [f"        /*{16 * i:04x}*/                   {line}" for i, line in enumerate(code)]
    return lint.read_listing("\n".join(lines), {name: 42})[0]


def findings(body, name="few_rows_kernel", architecture="sm_90"):
    return list(lint.broken_rules(architecture, name, lint.measure(kernel_of(body, name))))


class LintTest(unittest.TestCase):
    def test_loads_are_counted_until_one_is_needed(self):
        self.assertEqual(lint.measure(kernel_of(ONE_BY_ONE + STORE))["staging loads"], 1)
        self.assertEqual(lint.measure(kernel_of(TOGETHER + STORE))["staging loads"], 2)
        self.assertEqual(lint.measure(kernel_of(TOGETHER + STORE))["registers"], 42)

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
        self.assertEqual(lint.measure(kernel_of(chain + MULTIPLY))["loads in flight"], 1)

    def test_serial_staging_is_found_in_few_rows_alone(self):
        self.assertEqual(findings(ONE_BY_ONE + STORE), ["only 1 loads in flight where inputs are staged"])
        self.assertEqual(findings(ONE_BY_ONE + STORE, "another_kernel"), [])
        both = TOGETHER.replace("R2", "R20") + TOGETHER
        self.assertEqual(len(findings(both + STORE)), 1)  # Two at a time are too few.

    def test_local_memory_is_found(self):
        self.assertEqual(findings("STL [R1], R4 ;\nLDL R4, [R1] ;"), ["2 instructions of local memory"])
        self.assertEqual(findings("STL [R1], R4 ;", "embed_kernel"), [])

    def test_generic_loads_and_slow_conversions_count_in_loops_that_multiply(self):
        slow = "LD.E R4, desc[UR8][R2.64] ;\nF2F.F16.F32 R5, R4 ;\n"
        self.assertEqual(findings(slow + MULTIPLY), ["1 generic loads in its loops", "1 slow conversions in its loops"])
        self.assertEqual(findings(slow), [])
        self.assertEqual(findings(slow + MULTIPLY, architecture="sm_75"), ["1 generic loads in its loops"])


if __name__ == "__main__":
    unittest.main()
