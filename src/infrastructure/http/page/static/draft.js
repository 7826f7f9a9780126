// A draft: sent, followed while it is checked, corrected, and saved under the name that it had.
import { download, listen, reveal, send } from "./requests.js";

const form = document.querySelector("#draft");
const ended = ["done", "failed", "cancelled"];
const NAME = "citeloom.draft";
// What was sent last from this tab: a restarted server has lost its checks.
const TEXT = "citeloom.draft-text";

function said(text) {
  form.querySelector("#draft-said").textContent = text;
  form.closest("details").open = true;
}

async function check() {
  const project = form.elements.project.value;
  said("Sending the draft…");
  try {
    sessionStorage.setItem(TEXT, form.elements.text.value);
    const job = await send("POST", `projects/${project}/verifications`, { text: form.elements.text.value });
    location.assign(`/draft?project=${encodeURIComponent(project)}&job=${job.id}`);
  } catch (error) {
    lost(error);
  }
}

// The draft stays in the form: what failed can be tried again.
function lost(error) {
  said(`The draft was not checked and has not changed. ${error.message}`);
  reveal("#draft-save");
}

function follow(job) {
  const bar = form.querySelector("#draft-progress");
  const stop = form.querySelector("#draft-stop");
  bar.hidden = stop.hidden = false;
  stop.addEventListener("click", () => send("DELETE", `jobs/${job}`).catch((error) => said(error.message)));
  const show = (event, events) => {
    const state = JSON.parse(event.data);
    if (state.total) bar.value = state.done / state.total;
    if (state.total) said(`${state.done} of ${state.total} citations are checked.`);
    if (!ended.includes(state.status)) return;
    events.close();
    location.reload();
  };
  listen(`jobs/${job}/events`, ["progress", ...ended], show, (error) => {
    bar.hidden = stop.hidden = true;
    lost(error);
  });
}

// Offsets count characters, not the units of a string.
function correct({ start, end, old, text }) {
  const characters = [...form.elements.text.value];
  const now = characters.slice(Number(start), Number(end)).join("");
  if (now !== old) return said("The draft was changed since: check it again first.");
  characters.splice(Number(start), Number(end) - Number(start), text);
  form.elements.text.value = characters.join("");
  check();
}

function save() {
  const name = sessionStorage.getItem(NAME) ?? "draft.md";
  download(new Blob([form.elements.text.value], { type: "text/plain" }), name);
}

async function load(file) {
  form.elements.text.value = await file.text();
  sessionStorage.setItem(NAME, file.name);
  said(`${file.name} is open.`);
}

const ready = () => reveal("#draft .primary, #draft label.button, .summary #draft-save, [data-old]");

if (form) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    check();
  });
  form.querySelector('input[type="file"]').addEventListener("change", (event) => load(event.target.files[0]));
  document.addEventListener("click", (event) => {
    if (event.target.closest("#draft-save")) save();
    const button = event.target.closest("[data-old]");
    if (button) correct(button.dataset);
  });
  form.addEventListener("dragover", (event) => event.preventDefault());
  form.addEventListener("drop", (event) => {
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    load(event.dataTransfer.files[0]);
  });
  new MutationObserver(ready).observe(document.querySelector("#main"), { childList: true, subtree: true });
  ready();
  form.elements.text.value ||= sessionStorage.getItem(TEXT) ?? "";
  if (form.dataset.job) follow(form.dataset.job);
}
