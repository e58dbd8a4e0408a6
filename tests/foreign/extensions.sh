#!/usr/bin/env bash
# Nothing in the library needs an extension of gcc or clang: with -DSNT_PORTABLE none is left in what the preprocessor
# makes of our files, and both compilers take it as strict C11. tests/foreign/run.sh portable runs it.
# Break seen: an __attribute__ or a __builtin outside #if SNT_GNU, an intrinsic, a statement expression.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# empty system headers: what they define themselves is theirs
grep -rhoE '#include <[a-z_/0-9]+\.h>' lib include | sed 's/.*<//; s/>//' | sort -u | while read -r header; do
    mkdir -p "$work/$(dirname "$header")"
    : >"$work/$header"
done
preprocess() {
    while read -r file; do
        gcc -E -P -nostdinc -I"$work" -Iinclude -DSNT_FFI "$@" "$file"
    done <lib/sources.txt
}
extension='__builtin|__attribute|__asm|\basm\b|__int128|__extension__|typeof|\(\{|__m128|__m256|__m512|_mm[0-9]*_|float32x4_t'
[ "$(preprocess | grep -cE "$extension")" -gt 100 ] || { echo "this test sees no extension even where there are some"; exit 1; }
preprocess -DSNT_PORTABLE >"$work/all"
! grep -E "$extension" "$work/all" || { echo "an extension without another way"; exit 1; }
for cc in gcc clang; do
    xargs -P 2 -n 8 $cc -std=c11 -pedantic-errors -Wall -Wextra -Werror -DSNT_PORTABLE -Iinclude -fsyntax-only <lib/sources.txt
done
