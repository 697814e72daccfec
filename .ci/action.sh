#!/usr/bin/env bash
# What the GitHub action (action.yml) does: `action.sh install`, then `action.sh check`. Inputs come as INPUT_… and are
# only ever arguments, never code. In the Bash of macOS (3.2), an empty array is no variable: hence `[@]+`.
set -euo pipefail

folder="${RUNNER_TEMP:?}/torchlsp"

# Prints one mistake where GitHub shows it, and ends.
fail() {
    local text="$1"
    text="${text//'%'/%25}" text="${text//$'\r'/%0D}" text="${text//$'\n'/%0A}"
    printf '::error title=torchlsp::%s\n' "$text"
    exit 2
}

python_on_path() {
    command -v python || command -v python3 || true
}

# A program of torchlsp's own environment.
program() {
    if [ -d "$folder/env/Scripts" ]; then
        printf '%s' "$folder/env/Scripts/$1.exe"
    else
        printf '%s' "$folder/env/bin/$1"
    fi
}

install() {
    local python what="${GITHUB_ACTION_PATH:?}"
    python="$(python_on_path)"
    [ -n "$python" ] || fail "There is no Python on the PATH; the input python-version sets one up."
    if [ -n "${INPUT_VERSION:-}" ]; then
        what="torchlsp==$INPUT_VERSION"
    fi
    # An environment of its own, since that of the job need not be one that may be written to.
    "$python" -m venv "$folder/env"
    "$(program python)" -m pip install --quiet --disable-pip-version-check -- "$what"
}

# The revision that `auto` stands for: nothing outside a pull request.
base_of_pull_request() {
    [ -n "${GITHUB_BASE_REF:-}" ] || return 0
    if [[ "${GITHUB_REF:-}" == refs/pull/*/merge ]] && [ "$(git rev-parse HEAD)" = "${GITHUB_SHA:-}" ]; then
        # A merge of the pull request into its base. A clone without history lacks its parents.
        git rev-parse --quiet --verify 'HEAD^2' >/dev/null ||
            git fetch --quiet --no-tags --depth=2 origin "$GITHUB_SHA" >&2 || true
        if git rev-parse --quiet --verify 'HEAD^2' >/dev/null; then
            echo 'HEAD^1'
            return 0
        fi
    fi
    local base="refs/remotes/origin/$GITHUB_BASE_REF"
    if ! git merge-base "$base" HEAD >/dev/null 2>&1; then
        local more=()
        if [ "$(git rev-parse --is-shallow-repository)" = true ]; then
            more=(--unshallow)
        fi
        git fetch --quiet --no-tags ${more[@]+"${more[@]}"} origin "+refs/heads/$GITHUB_BASE_REF:$base" >&2 || true
    fi
    echo "origin/$GITHUB_BASE_REF"
}

# Words of a text as a shell would split it, each ended by NUL; nothing is expanded.
split_words() {
    "$(program python)" -c 'import shlex, sys; print(end="".join(f"{word}\0" for word in shlex.split(sys.argv[1])))' "$1"
}

count() {
    grep -c "^::$1 " "$folder/annotations" || true
}

check() {
    local arguments=() line since status=0
    mkdir -p "$folder"
    rm -f "$folder/torchlsp.sarif" "$folder/summary.md"
    # In a container the checkout belongs to another user, and git would not look at it.
    local number="${GIT_CONFIG_COUNT:-0}"
    export GIT_CONFIG_COUNT=$((number + 1)) "GIT_CONFIG_KEY_$number=safe.directory" "GIT_CONFIG_VALUE_$number=*"

    line="$(python_on_path)"
    if [ -n "$line" ]; then
        arguments+=(--python "$("$line" -c 'import sys; print(sys.executable)')")
    fi
    case "${INPUT_FAIL_ON:-warning}" in
        never) arguments+=(--exit-zero) ;;
        error | warning | info) arguments+=(--fail-on "${INPUT_FAIL_ON:-warning}") ;;
        *) fail "fail-on must be error, warning, info or never, not $INPUT_FAIL_ON" ;;
    esac
    since="${INPUT_CHANGED_SINCE:-}"
    if [ "$since" = auto ]; then
        since="$(base_of_pull_request)"
    fi
    if [ -n "$since" ]; then
        arguments+=("--changed-since=$since")
    fi
    split_words "${INPUT_ARGS:-}" >"$folder/args" 2>/dev/null || fail "args cannot be split into words: ${INPUT_ARGS:-}"
    while IFS= read -r -d '' line; do
        arguments+=("$line")
    done <"$folder/args"
    arguments+=(--output-format github --report "sarif=$folder/torchlsp.sarif" --report "markdown=$folder/summary.md" --)
    while IFS= read -r line || [ -n "$line" ]; do
        line="${line%$'\r'}"
        if [ -n "$line" ]; then
            arguments+=("$line")
        fi
    done <<<"${INPUT_PATHS:-.}"

    "$(program torchlsp)" check "${arguments[@]}" </dev/null >"$folder/annotations" 2>"$folder/notices" || status=$?

    cat "$folder/annotations"
    if [ -s "$folder/notices" ]; then
        # Names of files stand in them: they are not to be read as commands of the workflow.
        local word
        word="end-$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')"
        printf '::stop-commands::%s\n' "$word"
        cat "$folder/notices"
        printf '::%s::\n' "$word"
    fi
    {
        echo "findings=$(grep -c '^::' "$folder/annotations" || true)"
        echo "errors=$(count error)"
        echo "warnings=$(count warning)"
        echo "exit-code=$status"
        if [ -s "$folder/torchlsp.sarif" ]; then
            echo "sarif-file=$folder/torchlsp.sarif"
        fi
    } >>"${GITHUB_OUTPUT:-/dev/null}"
    if [ -s "$folder/summary.md" ]; then
        # GitHub takes a megabyte.
        { head -c 1000000 "$folder/summary.md" && echo; } >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
    fi
    if [ "$status" = 2 ]; then
        fail "$(tail -n 1 "$folder/notices")"
    fi
    return "$status"
}

case "${1:-}" in
    install) install ;;
    check) check ;;
    *) fail "usage: action.sh install|check" ;;
esac
