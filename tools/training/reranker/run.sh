#!/usr/bin/env bash
# DATA=FOLDER START=FOLDER OUT=FOLDER bash run.sh: ends within 540 s of one GPU
cd "$(dirname "$0")"
export BEGAN=$(date +%s) DATA=${DATA:-.} START OUT LIMIT=${LIMIT:-520}
export WORK=${WORK:-/tmp/rerank-work} OMP_NUM_THREADS=2 TOKENIZERS_PARALLELISM=true
mkdir -p "$OUT" "$WORK"
timeout -k 5 240 python3 prepare.py && timeout -k 5 $((535 - ($(date +%s) - BEGAN))) python3 train.py all
