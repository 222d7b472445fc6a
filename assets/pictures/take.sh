#!/usr/bin/env bash
# Takes the pictures that the README and the docs show. They are what the gallery draws at a fixed
# tick of a fixed seed. Without a screen it uses a virtual one and a software renderer (Debian:
# xvfb, xauth, mesa-vulkan-drivers, libxkbcommon-x11-0, libxcursor1, libxi6).
set -euo pipefail
cd "$(dirname "$0")/../.."

if [ -z "${DISPLAY:-}" ]; then
  exec xvfb-run -a -s "-screen 0 1280x720x24" \
    env WGPU_BACKEND=vulkan VK_LOADER_DRIVERS_SELECT='*lvp*' "$0" "$@"
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# picture NAME ARGUMENTS... The gallery watches the folder of assets while it runs, so the picture
# is taken elsewhere.
picture() {
  local name=$1
  shift
  cargo run --quiet --example gallery -- "$@" --screenshot "$scratch/$name.png"
  mv "$scratch/$name.png" assets/pictures/
  printf 'assets/pictures/%s.png\n' "$name"
}

picture fox_and_rabbit --scene fox_and_rabbit --ticks 300
picture inspector --scene flock_and_predator --inspector --ticks 700
picture hide_and_seek --scene hide_and_seek --ticks 500
picture plaza --scene plaza --ticks 600
picture maze --scene maze --ticks 600
