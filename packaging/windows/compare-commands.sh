#!/usr/bin/env bash
# compare-commands.sh BUILD SYSROOT NATIVE: what the commands of quire-cli.exe print and write under Wine is, byte for
# byte, what NATIVE (quire-cli for this system) prints and writes: standard output, exit code and files; but for the last
# digits of vectors and of perplexity. Both use AVX2, so that any processor will do.
set -euo pipefail

build=$(realpath "$1") sysroot=$(realpath "$2") native=$(realpath "$3")
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C.UTF-8 QUIRE_CPU_ISA=avx2 QUIRE_BUNDLED_MODEL=
count=0 failed=0

# Both run in folders of their own with the same content, so that they are given the same names.
mkdir "$work/linux" "$work/windows"
for folder in linux windows; do
  cp -r "$root/resources/models/quire-mini" "$work/$folder/mini"
  cp -r "$root/resources/models/quire-mini-draft" "$work/$folder/draft"
  (
    cd "$work/$folder"
    printf 'Grüße, 世界! 👩‍👩‍👧 e\xcc\x81\r\n\tA tab.\n\n  naïve café \x1a end' >text
    printf '\xff\xfe not UTF-8 \xc3' >bytes
    printf '{"messages": [{"role": "user", "content": "Hi 世界"}], "add_generation_prompt": true}' >render.json
    printf '%s\n' '{"messages": [{"role": "user", "content": "What is the capital of France?"}]}' \
      '{"messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Name a colour."}]}' \
      '{"messages": [{"role": "user", "content": "Tell me about the sea."}]}' >many.jsonl
    printf '{{ strftime_now("%%Y-%%m-%%d %%B %%A %%H:%%M:%%S %%j %%U %%y %%p") }}|{{ "ÄÖ" | lower }}|{{ [3,1] | tojson }}' >template.jinja
    printf 'Hello!\nWhat is the capital of France?\n' >talk
    mkdir "ordner ä 世"
    cp mini/* "ordner ä 世/"
  )
done

same_bytes() { cmp -s "$1" "$2"; }

# What a run takes differs: "22.0 MB to 8.2 MB in 1.0 s (22 MB/s of the source)".
without_times() { sed -i -E 's/ in [0-9.]+ (ms|s) \([^)]*\)//' "$1"; }

# Whether numbers differ by no more than a hundredth of a thousandth, and nothing else does. glibc rounds a hundredth of
# its sines and cosines to the wrong neighbour, mingw-w64 none, which shows in the last digits of long inputs.
nearly_equal() {
  python3 - "$1" "$2" <<'PYTHON'
import re, sys
number = re.compile(r'-?\d+\.\d+(?:e-?\d+)?')
one, other = (open(name).read() for name in sys.argv[1:])
same = number.sub('#', one) == number.sub('#', other)
pairs = zip(map(float, number.findall(one)), map(float, number.findall(other)))
sys.exit(0 if same and all(abs(a - b) <= 1e-5 * max(1, abs(a)) for a, b in pairs) else 1)
PYTHON
}

# both NAME INPUT ARGUMENT...: the command with INPUT as its standard input, on both.
both() {
  local name=$1 input=$2 codes=() compare
  shift 2
  if [ "$name" = embed ] || [ "$name" = perplexity ]; then compare=nearly_equal; else compare=same_bytes; fi
  for folder in linux windows; do
    local program=("$native")
    [ $folder = linux ] || program=("$here/run-in-wine.sh" "$sysroot" "$build/bin/quire-cli.exe")
    local code=0
    (cd "$work/$folder" && "${program[@]}" "$@" <"$input" >"$work/$folder.out" 2>"$work/$folder.err") || code=$?
    codes+=("$code")
  done
  count=$((count + 1))
  without_times "$work/linux.out"
  without_times "$work/windows.out"
  if [ "${codes[0]}" != "${codes[1]}" ] || ! "$compare" "$work/linux.out" "$work/windows.out"; then
    failed=$((failed + 1))
    echo "compare-commands.sh: $name differs: exit codes ${codes[*]}"
    diff "$work/linux.out" "$work/windows.out" | head -n 6 | cut -c 1-300 || true
    head -n 3 "$work/windows.err"
  fi
}

# same_file NAME: what the last command wrote.
same_file() {
  count=$((count + 1))
  if ! [ -s "$work/linux/$1" ] || ! cmp -s "$work/linux/$1" "$work/windows/$1"; then
    failed=$((failed + 1))
    echo "compare-commands.sh: the file $1 differs"
  fi
}

greedy=(--max-tokens 24 --temperature 0)
both tokenize text tokenize --model mini
both "tokenize what is not UTF-8" bytes tokenize --model mini
both detokenize text detokenize --model mini 72 101 300 13 10
both render /dev/null render --model mini --input render.json
both "render a template" /dev/null render --model mini --template template.jinja --input render.json --now 2024-02-29T13:05:09
both logits /dev/null logits --model mini --tokens 1,2,3,4,5 --all
both "logits to a file" /dev/null logits --model mini --tokens 5,4,3 --output logits.f32
same_file logits.f32
both embed text embed --model mini --file -
both perplexity /dev/null perplexity --model mini --file many.jsonl
both inspect /dev/null inspect --model mini --tensors --json
both "greedy" /dev/null generate --model mini --prompt "Once upon a time" "${greedy[@]}"
both "sampled" /dev/null generate --model mini --chat --prompt "Tell me about the sea." --max-tokens 40 --seed 7 --temperature 1.2
both "several at once" many.jsonl generate --model mini --messages - --max-tokens 24 --seed 3
both "with a draft model" /dev/null generate --model mini --draft draft --speculation always --chat --prompt "Name a colour." "${greedy[@]}"
both "i8 cache" /dev/null generate --model mini --kv-dtype i8 --chat --prompt "Name a colour." "${greedy[@]}"
both "prompt from a pipe" text generate --model mini --prompt - "${greedy[@]}"
both "chat by a pipe" talk chat --model mini --max-tokens 24 --seed 5
both "names that are not ASCII" /dev/null generate --model "ordner ä 世" --prompt "Grüße, 世界" "${greedy[@]}"
both "quantize" /dev/null quantize --model mini --output q4.gguf --type Q4_K_M --no-measure
same_file q4.gguf
both "a GGUF file" /dev/null generate --model q4.gguf --chat --prompt "What is the capital of France?" "${greedy[@]}"
for time in first second; do
  both "prefix cache, $time time" many.jsonl generate --model mini --prefix-cache "prefix.db" --messages - "${greedy[@]}"
done
both "a model that is not there" /dev/null generate --model nowhere --prompt a
both "a folder without a model" /dev/null inspect --model .
for folder in linux windows; do head -c 100000 "$work/$folder/q4.gguf" >"$work/$folder/cut.gguf"; done
both "a file that was cut" /dev/null inspect --model cut.gguf
for kind in paren bracket if; do
  for folder in linux windows; do
    python3 - $kind >"$work/$folder/deep.jinja" <<'PYTHON'
import sys
begin, end = {'paren': ('(', ')'), 'bracket': ('[', ']'), 'if': ('{% if 1 %}', '{% endif %}')}[sys.argv[1]]
depth = 20000
print('{{' + begin * depth + '1' + end * depth + '}}' if len(begin) == 1 else begin * depth + end * depth)
PYTHON
    python3 -c 'print("{\"messages\": " + "[" * 100000 + "]" * 100000 + "}")' >"$work/$folder/deep.json"
  done
  both "a template nested by $kind" /dev/null render --model mini --template deep.jinja --input render.json
done
both "nested JSON" /dev/null render --model mini --input deep.json
both "wrong usage" /dev/null generate --max-tokens none
both "a file that is there" /dev/null quantize --model mini --output q4.gguf --no-measure

[ $failed = 0 ] || { echo "compare-commands.sh: $failed of $count comparisons differ"; exit 1; }
echo "quire-cli.exe: $count comparisons with this system's quire-cli, none differs"
