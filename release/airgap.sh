#!/usr/bin/env bash
# Carry ragcli and an index to a machine without a network (docs/how-to/air-gap.md).
# Usage: airgap.sh pack FOLDER STORE [WHEEL]
#   FOLDER gets: wheels/, documents.rag, install.sh, SHA256SUMS. WHEEL is ragcli's own wheel; without
#   it, ragcli comes from the package index. With AIRGAP_WHEELS=DIR, nothing is downloaded: the wheels
#   of the dependencies are those in DIR.
set -euo pipefail

pack() {
    local folder=$1 store=$2 own=${3:-ragcli}
    mkdir -p "$folder/wheels"
    if [ -n "${AIRGAP_WHEELS:-}" ]; then
        [ -f "$own" ] && cp "$own" "$folder/wheels/"
        find "$AIRGAP_WHEELS" -name '*.whl' -exec cp {} "$folder/wheels/" \;
    else
        python3 -m pip download --quiet --only-binary :all: --dest "$folder/wheels" "$own"
    fi
    ragcli bundle export "$folder/documents.rag" --store "$store" --quiet
    installer > "$folder/install.sh"
    (cd "$folder" && find . -type f ! -name SHA256SUMS -print0 | sort -z | xargs -0 sha256sum > SHA256SUMS)
}

# The script for the other machine: check the files, install without an index, look whether it works.
installer() {
    cat << 'END'
#!/usr/bin/env bash
# Usage: install.sh ENVIRONMENT [options of python -m venv]
set -euo pipefail
environment=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
(cd "$here" && sha256sum --check --quiet SHA256SUMS)
python3 -m venv "$@" "$environment"
"$environment/bin/python" -m pip install --quiet --no-index --find-links "$here/wheels" \
    ${AIRGAP_PIP:-} ragcli
"$environment/bin/ragcli" doctor
END
}

case ${1:-} in
    pack) shift && pack "$@" ;;
    *) sed -n '2,6p' "$0" && exit 2 ;;
esac
