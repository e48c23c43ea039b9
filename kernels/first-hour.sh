#!/usr/bin/env bash
# first-hour.sh [--quick] [--device cuda:N]: what a machine with a GPU is to be used for first (docs/gpu-benchmarks.md).
# Builds the kernels for this machine's GPU, compares every operation with an oracle, lets compute-sanitizer look for races
# and for bad addresses, compares the tiny models' logits with transformers', measures, and writes one report with the
# machine model's predictions next to what was measured: build/first-hour/report.md. A step that fails or cannot be run does
# not stop the others. Ends with status 1 if one failed. Needs CMake, a C++20 compiler, Python 3 and the CUDA toolkit; for
# the logits Qt 6 and Boost.Context too. After QUIRE_FIRST_HOUR_S seconds (3600) no step begins.
#
# first-hour.sh --dry-run [--build FOLDER]: prints what it would do, and checks without a GPU that each program, case and
# option that it names exists: in Quire's build in FOLDER if there is one, else in the sources.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2

device=cuda quick="" is_dry="" checked_build=""
folder=build/first-hour
programs=$folder/kernels/bin
model=tests/bench/gpu/machine_model
hour_s=${QUIRE_FIRST_HOUR_S:-3600}
fence='```'

usage() { sed -n '2,/^set /s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; }

while (($#)); do
  case $1 in
    --dry-run) is_dry=1 ;;
    --quick) quick=1 ;;
    --device | --build)
      [[ $# -ge 2 ]] || { echo "$1 needs a value." >&2; exit 2; }
      if [[ $1 == --device ]]; then device=$2; else checked_build=$2; fi
      shift
      ;;
    -h | --help) usage; exit 0 ;;
    *) echo "There is no option $1." >&2; usage >&2; exit 2 ;;
  esac
  shift
done

# Every program sees that GPU alone, as its first one.
if [[ $device == cuda:* ]]; then
  export CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=${device#cuda:}
  device=cuda
fi

rows=() num_failed=0

# note NAME RESULT SECONDS LOG: a line of the report.
note() {
  rows+=("| $1 | $2 | $3 | ${4:-} |")
  printf '%-44s %s (%s s)\n' "$1" "$2" "$3"
}

# step NAME SECONDS COMMAND...: runs it with that limit; what it writes is in a log. Its own status.
step() {
  local name=$1 limit=$2 log began=$SECONDS status
  shift 2
  if ((SECONDS + 10 > hour_s)) && [[ ! $is_dry ]]; then
    skip "$name" "the hour is over"
    return 1
  fi
  ((limit > hour_s - SECONDS)) && limit=$((hour_s - SECONDS))
  log="$folder/$(tr -cs 'a-z0-9\n' - <<<"$name").log"
  if [[ $is_dry ]]; then
    printf '%s, at most %s s:\n   ' "$name" "$limit"
    printf ' %q' "$@"
    echo
    return 0
  fi
  timeout --kill-after=10 "$limit" "$@" >"$log" 2>&1
  status=$?
  case $status in
    0) note "$name" passed $((SECONDS - began)) "$log" ;;
    124 | 137) num_failed=$((num_failed + 1)); note "$name" "stopped after $limit s" $((SECONDS - began)) "$log" ;;
    *) num_failed=$((num_failed + 1)); note "$name" "**failed**, status $status" $((SECONDS - began)) "$log" ;;
  esac
  return $status
}

skip() { if [[ $is_dry ]]; then echo "$1: would not be run here: $2"; else note "$1" "not run: $2" 0; fi; }

# What the steps name, to be checked by --dry-run.
kernel_targets=(conformance bench_gpu)
golden_targets=(tst_cuda_models)
memcheck_cases=("linear " "linear_experts" "attention" "rope" "launch_graph" "embed")

build_kernels() {
  step "build: configure" 120 cmake -S kernels -B $folder/kernels -DCMAKE_BUILD_TYPE=Release -DQUIRE_CUDA=ON &&
    step "build: compile" 1500 cmake --build $folder/kernels --parallel --target "${kernel_targets[@]}"
}

check_operations() {
  step "conformance" 600 $programs/conformance --backend "$device"
}

sanitizer=compute-sanitizer
command -v $sanitizer >/dev/null || sanitizer=/usr/local/cuda/bin/compute-sanitizer

racecheck() {
  # Sampling is among bench_gpu's kernels, and not among the cases of conformance.
  step "racecheck: all kernels, tiny" 400 $sanitizer --tool racecheck --error-exitcode 1 \
    $programs/bench_gpu --tiny --only kernels --device "$device"
  step "racecheck: attention" 300 $sanitizer --tool racecheck --error-exitcode 1 \
    $programs/conformance --backend "$device" --filter "attention f16"
}

memcheck() {
  local cases
  step "memcheck: all kernels, tiny" 400 $sanitizer --tool memcheck --error-exitcode 1 \
    $programs/bench_gpu --tiny --only kernels --device "$device"
  for cases in "${memcheck_cases[@]}"; do
    step "memcheck: ${cases% }" 240 $sanitizer --tool memcheck --error-exitcode 1 \
      $programs/conformance --backend "$device" --filter "$cases"
  done
}

# The tiny models on this GPU, and on two that compute each layer together where there are two; the tests' other rows are
# those of the harness.
golden_logits() {
  local golden=$folder/quire/bin/tst_cuda_models names=()
  step "golden logits: configure" 120 cmake -S . -B $folder/quire -DCMAKE_BUILD_TYPE=Release -DQUIRE_CUDA=ON \
    -DQUIRE_BUILD_APP=OFF -DQUIRE_BUILD_CLI=OFF || return
  step "golden logits: compile" 1200 cmake --build $folder/quire --parallel --target "${golden_targets[@]}" quire_cuda || return
  if [[ ! $is_dry ]]; then
    mapfile -t names < <("$golden" -datatags 2>/dev/null | sed -n 's/^[^ ]* \([^ ]*\) \(.* on cuda\(:0+cuda:1\)\{0,1\}\)$/\1:\2/p')
    [[ ${#names[@]} -gt 0 ]] || { skip "golden logits" "tst_cuda_models has no row for a GPU"; return; }
  fi
  QT_QPA_PLATFORM=offscreen step "golden logits" 600 "$golden" "${names[@]}"
}

measure_quickly() {
  step "bench_gpu --quick" 400 $programs/bench_gpu --quick --device "$device" --json $folder/quick.json
}

measure() {
  step "bench_gpu" 900 $programs/bench_gpu --device "$device" --json $folder/figures.json && figures=$folder/figures.json
}

# What programmatic dependent launch saves (docs/cuda.md).
measure_in_order() {
  QUIRE_CUDA_EARLY_KERNELS=0 step "bench_gpu --quick: no kernel begins early" 400 \
    $programs/bench_gpu --quick --device "$device" --json $folder/in-order.json
}

machine() {
  nvidia-smi ${CUDA_VISIBLE_DEVICES:+-i "$CUDA_VISIBLE_DEVICES"} --query-gpu=name,driver_version,power.limit,clocks.max.sm,clocks.max.mem,memory.total --format=csv 2>&1
  "${CUDACXX:-nvcc}" --version 2>&1 | tail -n 2
  git describe --always --dirty 2>/dev/null
}

# report FIGURES: all of it as Markdown on standard output.
report() {
  local line log
  echo "# The first hour on a GPU"
  printf '\n%s\n%s\n%s\n' "$fence" "$(machine)" "$fence"
  printf '\n## Steps\n\n| step | result | seconds | log |\n|---|---|---|---|\n'
  printf '%s\n' "${rows[@]}"
  printf '\n## Predicted and measured\n\nThe predictions are those of %s, made without a GPU (docs/cuda.md).\n\n%s\n' "$model" "$fence"
  python3 $model/predict.py --compare "$1" 2>&1
  printf '%s\n\n## What bench_gpu wrote\n\n%s\n' "$fence" "$fence"
  cat $folder/bench-gpu.log 2>/dev/null || cat $folder/bench-gpu-quick.log 2>/dev/null || echo "nothing"
  echo "$fence"
  for line in "${rows[@]}"; do
    [[ $line == *failed* || $line == *stopped* ]] || continue
    log=${line% |*}
    log=${log##*| }
    printf '\n## The end of %s\n\n%s\n%s\n%s\n' "$log" "$fence" "$(tail -n 40 "$log" 2>&1)" "$fence"
  done
}

# Checks for --dry-run ----------------------------------------------------------------------------------

# missing WHAT: says that there is none.
missing() { echo "first-hour.sh: there is no $1" >&2; num_failed=$((num_failed + 1)); }

check_targets() {
  local known target
  if [[ -f $checked_build/CMakeCache.txt ]]; then
    known=$(cmake --build "$checked_build" --target help | sed -E 's/^\.\.\. //; s/[: ].*//')
  else
    known=$(git ls-files -- '*CMakeLists.txt' | xargs sed -nE \
      's/.*(add_executable|quire_test|add_library|quire_library)\(([A-Za-z0-9_]+).*/\2/p')
  fi
  for target in "${kernel_targets[@]}" "${golden_targets[@]}"; do
    grep -qx "$target" <<<"$known" || missing "target $target"
  done
}

# Cases are named after an operation, and what it is tried with; options are in the usage of their program.
check_words() {
  local cases option
  for cases in "${memcheck_cases[@]}" "attention f16"; do
    grep -q "\"${cases%% *}" tests/kernels/conformance/*_cases.cpp || missing "case of conformance named \"$cases\""
  done
  for option in --tiny --only --quick --json --device; do
    grep -q -- "  $option" tests/bench/gpu/options.h || missing "option $option of bench_gpu"
  done
  for option in --backend --filter; do
    grep -q -- "  $option" tests/kernels/conformance/conformance_main.cpp || missing "option $option of conformance"
  done
  grep -q 'on %s' tests/engine/models/tst_cuda_models.cpp || missing "row of tst_cuda_models that names its device"
  printf '{"device": "NVIDIA H200, 141 GB", "figures": {"8b bf16 decode, 1 chat": {"ms a step": 4.2}}}' |
    python3 $model/predict.py --compare /dev/stdin | grep -q "of 1 within" || missing "comparison by $model/predict.py"
}

# --------------------------------------------------------------------------------------------------------

[[ $is_dry ]] || { mkdir -p $folder && rm -f $folder/*.log $folder/*.json; }
figures=$folder/quick.json
if build_kernels; then
  has_kernels=1
  check_operations
  measure_quickly
else
  has_kernels=""
  skip "conformance, bench_gpu, racecheck and memcheck" "the kernels were not built"
fi
has_sanitizer=$(command -v $sanitizer || echo "$is_dry")
[[ $has_sanitizer ]] || skip "racecheck and memcheck" "there is no compute-sanitizer"
[[ $has_kernels && $has_sanitizer ]] && racecheck
if [[ $is_dry ]] || command -v qmake6 qtpaths6 >/dev/null; then
  golden_logits
else
  skip "golden logits" "there is no Qt 6 (qt6-base-dev and libboost-context-dev)"
fi
[[ $has_kernels && ! $quick ]] && measure
[[ $has_kernels ]] && measure_in_order
[[ $has_kernels && $has_sanitizer ]] && memcheck
if [[ $is_dry ]]; then
  check_targets
  check_words
  ((num_failed == 0)) && echo "Each of them exists."
else
  report "$figures" >$folder/report.md
  echo "$folder/report.md"
fi
((num_failed == 0))
