# shellcheck shell=bash
# gpuyard.bash - completion of gpuyard in bash: commands, options, policies, clusters.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Options and names are asked of the program itself, so they are those of the version that is installed.

_gpuyard_names() { # the first words of the list's lines: names
    "$1" "${@:2}" 2>/dev/null | sed -n 's/^  \([a-z0-9][^ ]*\).*/\1/p'
}

_gpuyard_policies() {
    "$1" policy list 2>/dev/null | sed -n '/^$/q; s/^  \([^ ]*\).*/\1/p'
}

_gpuyard_options() { # of a command: from its help
    "$1" "${@:2}" --help 2>/dev/null | grep -oE -- '^ +(-[a-z?], )?--[a-z-]+=?' | grep -oE -- '--[a-z-]+=?'
}

# Values of an option of `$1 $2 [$3]`.
_gpuyard_values() {
    case $4 in
    --cluster) _gpuyard_names "$1" cluster list cluster ;;
    --policy | -p) _gpuyard_policies "$1" ;;
    --format) echo "csv philly philly-csv helios itp" ;;
    --attempts) echo "merge split" ;;
    --preempt-mode) echo "checkpoint kill" ;;
    --on-failure) echo "requeue fail wait" ;;
    --comm) echo "none" ;;
    --limits) echo "yes no" ;;
    --weekday) echo "monday tuesday wednesday thursday friday saturday sunday" ;;
    --model) _gpuyard_names "$1" trace generate --help ;;
    --tz) echo "UTC America/Los_Angeles Asia/Shanghai" ;;
    *) return 1 ;;
    esac
}

_gpuyard() {
    local program=${COMP_WORDS[0]} cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} words=""
    local command=${COMP_WORDS[1]:-} sub=${COMP_WORDS[2]:-}
    COMPREPLY=()
    # bash takes --option=value apart at the sign
    if [ "$cur" = "=" ]; then
        cur=""
    elif [ "$prev" = "=" ] && [ "$COMP_CWORD" -ge 3 ]; then
        prev=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    if [ "$COMP_CWORD" = 1 ]; then
        words="run compare trace cluster policy --help --version"
    elif words=$(_gpuyard_values "$program" "$command" "$sub" "$prev"); then
        :
    elif [ "$COMP_CWORD" = 2 ] && [ "$command" = trace ]; then
        words="info convert generate --help"
    elif [ "$COMP_CWORD" = 2 ] && [ "$command" = cluster ]; then
        words="list show --help"
    elif [ "$COMP_CWORD" = 2 ] && [ "$command" = policy ]; then
        words="list show new check --help"
    else
        case "$command $sub" in
        "cluster list") words="cluster node gpu fabric" ;;
        "cluster show") words=$(_gpuyard_names "$program" cluster list) ;;
        "policy show") words=$(_gpuyard_policies "$program") ;;
        "policy new") [ "$COMP_CWORD" = 3 ] || words="order admit place evict backfill resize schedule" ;;
        trace\ *) [ "${cur#-}" = "$cur" ] || words=$(_gpuyard_options "$program" trace "$sub") ;;
        run\ * | compare\ *) words=$(_gpuyard_options "$program" "$command") ;;
        esac
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
    if [ ${#COMPREPLY[@]} = 1 ] && [ "${COMPREPLY[0]%=}" != "${COMPREPLY[0]}" ]; then
        compopt -o nospace 2>/dev/null
    fi
}
complete -o default -o bashdefault -F _gpuyard gpuyard
