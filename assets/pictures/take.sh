#!/usr/bin/env bash
# Takes the pictures and films that the README and the docs show. They are what the gallery draws at
# fixed ticks of a fixed seed. Without a screen it uses a virtual one and a software renderer (Debian:
# xvfb, xauth, mesa-vulkan-drivers, libxkbcommon-x11-0, libxcursor1, libxi6).
#
# take.sh [NAME...]: only these. GALLERY is the command that runs the gallery, if it is not built here.
set -euo pipefail
cd "$(dirname "$0")/../.."

if [ -z "${DISPLAY:-}" ]; then
  exec xvfb-run -a -s "-screen 0 1280x720x24" \
    env WGPU_BACKEND=vulkan VK_LOADER_DRIVERS_SELECT='*lvp*' "$0" "$@"
fi

gallery=${GALLERY:-cargo run --quiet --example gallery --}
# Films are loaded with the page that shows them.
most_bytes=600000
wanted=" $* "
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# take FILE ARGUMENTS... The gallery watches the folder of assets while it runs, so the picture is
# taken elsewhere.
take() {
  local file=$1
  shift
  [[ $wanted = "  " || $wanted = *" ${file%.*} "* ]] || return 0
  # Unquoted on purpose: the command may have arguments.
  $gallery "$@" "$scratch/$file"
  if [ "$(stat -c %s "$scratch/$file")" -gt "$most_bytes" ]; then
    printf '%s: %d bytes, more than %d\n' "$file" "$(stat -c %s "$scratch/$file")" "$most_bytes" >&2
    exit 1
  fi
  mv "$scratch/$file" assets/pictures/
  printf 'assets/pictures/%s\n' "$file"
}

picture() {
  local name=$1
  shift
  take "$name.png" "$@" --screenshot
}

# film SCENE FIRST_TICK FRAMES WIDTH
film() {
  take "$1.gif" --scene "$1" --ticks "$2" --frames "$3" --width "$4" --film
}

picture inspector --scene flock_and_predator --inspector --ticks 700
picture timeline --scene flock_and_predator --inspector --ticks 240 --look-back 64
film fox_and_rabbit 100 96 480
film flock_and_predator 400 48 320
film hide_and_seek 300 64 360
film maze 300 64 360
film plaza 400 40 320
film wander_styles 300 80 360
film braking 0 96 360
film crossing 320 72 360
film pasture 640 72 360
film parking 250 80 360
film race 1600 60 400
film yard 1900 60 400
