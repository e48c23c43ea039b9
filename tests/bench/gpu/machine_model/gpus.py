"""What the machine model knows of GPUs. Nothing here was measured by Quire."""
import dataclasses

# The share of a data sheet's bandwidth that a kernel reads at best, by kind of memory.
# GDDR: calm's README, footnote 3: its kernels and cuBLAS end at about 955 of an RTX 4090's 1,008 GB/s.
# HBM: an H200 copies 4.3 of 4.8 TB/s.
READ_SHARE = {"GDDR": 0.945, "HBM": 0.90}

# The share of the tensor cores' data sheet rate that mma.sync reaches, which Quire's kernels use: Hopper's full rate needs
# wgmma (arXiv:2402.13499: 62 % of it with mma.sync).
MMA_SYNC_SHARE = {"sm_90": 0.62}

# One constant each for all GPUs: the differences among them are smaller than what is known.
EDGE_US = 1.3   # From a kernel's last block to the next one's first instruction in a CUDA graph, or a barrier of a whole grid.
# What of that is left where a kernel begins before the one before it has ended: assumed, two loads from the L2 cache to see
# that it has, and one barrier. The only published figures are of a whole engine: a step of gpt-oss 20B in llama.cpp went from
# 3.01 to 2.66 ms, 15 us a layer, and with longer answers from 2.83 to 2.70 (github.com/ggml-org/llama.cpp/pull/22522).
EARLY_EDGE_US = 0.5
EARLY_ARCHITECTURES = {"sm_90", "sm_120"}
DRAM_US = 0.65  # A load from memory that is busy.
L2_US = 0.18    # A load from the L2 cache: 250 to 350 clocks.
# The share of the issue slots that four warps of a scheduler fill, each waiting for its own last result.
ISSUE_SHARE = 0.65
# Bytes a clock and multiprocessor from the L2 cache.
L2_BYTES_PER_CLOCK = 32


@dataclasses.dataclass(frozen=True)
class Gpu:
    name: str
    architecture: str
    multiprocessors: int
    clock_ghz: float      # Boost, of the data sheet.
    memory_gbs: float     # GB/s, of the data sheet.
    memory: str           # A key of READ_SHARE.
    l2_mb: float
    tensor_tflops: float  # Dense, 16 bit, sums in f32, of the data sheet.
    int8_tops: float      # Dense, 8-bit integers, of the data sheet.
    gemm_tflops: float    # cuBLAS, 8,192 x 8,192, bf16: github.com/zzc0721/torch-performance-test-data; 0: not known.
    shared_kb: int        # Of a multiprocessor, for all its blocks.

    @property
    def read_gbs(self):
        return self.memory_gbs * READ_SHARE[self.memory]

    @property
    def l2_gbs(self):
        return self.multiprocessors * L2_BYTES_PER_CLOCK * self.clock_ghz

    @property
    def issues_per_us(self):
        """Instructions of a warp: four schedulers a multiprocessor, one a clock each."""
        return self.multiprocessors * 4 * self.clock_ghz * 1e3 * ISSUE_SHARE

    @property
    def mma_tflops(self):
        return self.tensor_tflops * MMA_SYNC_SHARE.get(self.architecture, 1.0)

    @property
    def mma_int8_tops(self):
        return self.int8_tops * MMA_SYNC_SHARE.get(self.architecture, 1.0)

    @property
    def uses_int8_gemm(self):
        """As kernels/cuda/command_queue.h."""
        number = int(self.architecture.removeprefix("sm_"))
        return number == 75 or 80 < number < 90 or number >= 120

    def needed_in_flight(self):
        """Bytes under way on each multiprocessor that keep the memory busy (Little's law)."""
        return self.read_gbs * 1e3 * DRAM_US / self.multiprocessors


GPUS = {gpu.name: gpu for gpu in [
    Gpu("RTX 3090", "sm_86", 82, 1.695, 936, "GDDR", 6, 71.2, 284.7, 0, 100),
    Gpu("RTX 4090", "sm_89", 128, 2.52, 1008, "GDDR", 72, 165.2, 660.6, 160.2, 100),
    Gpu("RTX 5090", "sm_120", 170, 2.407, 1792, "GDDR", 96, 209.5, 838.0, 234.9, 100),
    Gpu("RTX PRO 6000", "sm_120", 188, 2.617, 1792, "GDDR", 128, 503.8, 1007.6, 0, 100),
    Gpu("A10", "sm_86", 72, 1.695, 600, "GDDR", 6, 125.0, 250.0, 0, 100),
    Gpu("A100 SXM 80GB", "sm_80", 108, 1.41, 2039, "HBM", 40, 312.0, 624.0, 0, 164),
    Gpu("H100 PCIe", "sm_90", 114, 1.755, 2039, "HBM", 50, 756.5, 1513.0, 492.8, 228),
    Gpu("H100 SXM", "sm_90", 132, 1.83, 3352, "HBM", 50, 989.4, 1978.9, 797.5, 228),
    Gpu("H20", "sm_90", 78, 1.83, 4000, "HBM", 60, 148.0, 296.0, 0, 228),
    Gpu("H200", "sm_90", 132, 1.83, 4800, "HBM", 50, 989.4, 1978.9, 790.0, 228),
]}
