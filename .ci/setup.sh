# Sets up what the scripts of this project need; sourced, not run. Nothing is installed twice.
#
#   need_packages meson gcc …   Debian packages: installs those that are missing
#   need_venv FILE…             build/venv with the Python packages of the requirement files; sets $python
#   build_release               build/release: the library, programs and tests
#
# Every step says what it does. As root or with sudo; on a system without apt-get it says what is missing.

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
venv=$top/build/venv

say() { printf '== %s\n' "$*"; }

die() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

need_packages() {
    local missing=() name
    for name in "$@"; do
        dpkg-query -W -f '${Status}' "$name" 2>/dev/null | grep -q 'ok installed' || missing+=("$name")
    done
    [ ${#missing[@]} -eq 0 ] && return
    command -v apt-get >/dev/null || die "please install: ${missing[*]} (this is no Debian-like system)"
    local root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || die "please install as root: apt-get install ${missing[*]}"
        root=(sudo)
    fi
    say "installing packages: ${missing[*]}"
    "${root[@]}" apt-get update -qq
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" \
        >/dev/null || die "could not install: ${missing[*]}"
}

# The system's own python3: its venv module is the Debian package installed above.
need_venv() {
    local stamp=$venv/.requirements wanted
    wanted=$(cat "$@")
    if [ ! -x "$venv/bin/python" ]; then
        say "making a virtual environment in build/venv"
        mkdir -p "$top/build"
        /usr/bin/python3 -m venv "$venv" || die "could not make a virtual environment"
    fi
    if [ "$(cat "$stamp" 2>/dev/null)" != "$wanted" ]; then
        say "installing Python packages into build/venv"
        local file args=()
        for file in "$@"; do args+=(-r "$file"); done
        "$venv/bin/python" -m pip install -q --disable-pip-version-check "${args[@]}" || die "could not install them"
        printf '%s' "$wanted" >"$stamp"
    fi
    python=$venv/bin/python
}

# Looks for packages again: a folder that was configured before they were installed does without them.
meson_again() {
    local folder=$top/build/$1
    shift
    [ ! -f "$folder/build.ninja" ] || meson setup --reconfigure "$folder" "$top" "$@" >"$folder.log" 2>&1 ||
        { tail -n 20 "$folder.log"; die "meson setup failed"; }
}

# meson_build FOLDER ARGUMENT… : configures once, then builds
meson_build() {
    local folder=$top/build/$1
    shift
    mkdir -p "$top/build"
    [ -f "$folder/build.ninja" ] || meson setup "$folder" "$top" "$@" >"$folder.log" 2>&1 ||
        { tail -n 20 "$folder.log"; die "meson setup failed"; }
    ninja -C "$folder" >"$folder.log" 2>&1 ||
        { grep -E 'error|warning|FAILED' -A 4 "$folder.log" | head -n 60; die "build failed"; }
}

build_release() {
    say "building in build/release"
    meson_build release "$@"
}

build_packages=(gcc libc6-dev meson ninja-build pkg-config python3 python3-venv)
test_packages=(clang libclang-rt-14-dev clang-format libcmocka-dev doxygen binutils g++ cmake git doxygen-awesome-css abigail-tools)
# Other targets. Debian's gcc-multilib excludes the cross compilers; the versioned one (see tests/run.sh) does not.
foreign_packages=(qemu-user musl-tools gcc-aarch64-linux-gnu gcc-arm-linux-gnueabihf gcc-s390x-linux-gnu)
foreign_packages+=(libc6-dev-arm64-cross libc6-dev-armhf-cross libc6-dev-s390x-cross)
