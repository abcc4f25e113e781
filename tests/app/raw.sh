# SPDX-License-Identifier: MIT
# Headerless dumps: samples in the wrong bits.
. "$(dirname "$0")/lib.inc"

# keep_warnings: err.txt without the line that counts frames.
keep_warnings() {
    grep -v '^zcapp: [0-9]* frames*; ' err.txt >warnings.txt || true
    mv warnings.txt err.txt
}

# warns WORDS ARGUMENT...: the run succeeds, with one warning that has WORDS; "" means no warning.
warns() {
    local words=$1
    shift
    run 0 -o none "$@"
    keep_warnings
    if [ -z "$words" ]; then
        same "lines of zcapp $*" "$(cat err.txt)" ""
    else
        error_says "$words"
    fi
}

# Codes above the format's bits. The low bits are unused, or not; the second frame; big-endian; in a pipe.
words 0 32768 65472 640 >left.raw
warns "left.raw: codes exceed 10 bits: is it --shift 6? The largest is 65472; codes above 1023" -f RG10 -s 2x2 left.raw
warns "" -f RG10 -s 2x2 --shift 6 left.raw
warns "codes exceed 10 bits: is it --shift 6?" -f RG10 -s 2x2 --shift 2 left.raw
warns "" -f RG16 -s 2x2 left.raw
words 0 64 1984 2048 >dark.raw
warns "codes exceed 10 bits: is it --shift 6?" -f RG10 -s 2x2 dark.raw
words 1 100 3000 4095 >wide.raw
warns "codes exceed 10 bits: is it -f RG12?" -f RG10 -s 2x2 wide.raw
warns "codes exceed 10 bits: is it -f Y12?" -f Y10 -s 2x2 wide.raw
words 65535 33313 64 1 >repeated.raw
warns "codes exceed 12 bits: is it --shift 4, or -f BYR2?" -f BG12 -s 2x2 repeated.raw
cat left.raw | "$ZCAPP" -o none -f RG10 -s 2x2 - 2>err.txt || fail "codes in a pipe"
keep_warnings
error_says "standard input: codes exceed 10 bits: is it --shift 6?"
{ words 0 1 2 3 && cat left.raw left.raw; } >later.raw
warns "codes exceed 10 bits: is it --shift 6?" -f RG10 -s 2x2 later.raw
words 1023 4 1023 0 >good.raw
warns "" -f RG10 -s 2x2 good.raw
words 2000 0 0 0 512 512 >planes.raw
warns "codes exceed 10 bits: is it -f I012?" -f I010 -s 2x2 planes.raw

# A file that contains its format: the hint fits what can be given.
{ printf 'P5 2 2 65535\n' && hex ff c0 40 00 00 00 00 00; } >left.pgm
warns "left.pgm: codes exceed 10 bits: is it --shift 6?" -f RG10 left.pgm
warns "" -f RG10 --shift 6 left.pgm
warns "" left.pgm
run 0 -q -f RG10 -s 2x2 --record wrong.zcr -o none left.raw
warns "wrong.zcr: codes exceed 10 bits: the input has the wrong format or shift." wrong.zcr

# A large picture is sampled: one white quarter is found.
{ head -c 120000 /dev/zero && head -c 40000 /dev/zero | tr '\0' '\377'; } >quarter.raw
warns "codes exceed 12 bits: is it --shift 4, or -f RG16?" -f RG12 -s 400x200 quarter.raw
