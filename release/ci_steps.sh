#!/usr/bin/env bash
# What a CI job does with a folder of documents and a file of questions (docs/how-to/ci.md).
# Usage: ci_steps.sh DOCUMENTS QUESTIONS THRESHOLD REPORT [STORE]
# Exit code 1: the store does not match the folder, or the metric is below its threshold; 2: an error.
set -euo pipefail
documents=$1 questions=$2 threshold=$3 report=$4 store=${5:-.ragcli}
if [ -z "${KEEP_STORE:-}" ]; then # a cached store is checked as it is if KEEP_STORE is set
    ragcli index "$documents" --store "$store" --quiet
fi
ragcli update --check --store "$store"
ragcli eval "$questions" --store "$store" --modes auto --k 5 \
    --fail-under "$threshold" --out "$report" --quiet
test -s "$report/junit.xml" && test -s "$report/report.html"
