// A draft: sent, followed while it is checked, corrected, and saved.
const form = document.querySelector("#draft");
const secret = document.querySelector('meta[name="citeloom-secret"]').content;
const ended = ["done", "failed", "cancelled"];

function said(text) {
  form.querySelector("#draft-said").textContent = text;
}

async function check() {
  const project = form.elements.project.value;
  said("The draft is sent.");
  const answer = await fetch(`/api/v1/projects/${project}/verifications`, {
    method: "POST",
    body: JSON.stringify({ text: form.elements.text.value }),
    headers: { "X-CiteLoom-Secret": secret, "content-type": "application/json" },
  });
  const job = await answer.json();
  if (!answer.ok) return said(job.detail ?? answer.statusText);
  location.assign(`/draft?project=${encodeURIComponent(project)}&job=${job.id}`);
}

function follow(job) {
  const events = new EventSource(`/api/v1/jobs/${job}/events`);
  const bar = form.querySelector("#draft-progress");
  bar.hidden = false;
  const show = (event) => {
    const state = JSON.parse(event.data);
    if (state.total) bar.value = state.done / state.total;
    if (state.total) said(`${state.done} of ${state.total} citations are checked.`);
    if (!ended.includes(state.status)) return;
    events.close();
    location.reload();
  };
  for (const kind of ["progress", ...ended]) events.addEventListener(kind, show);
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
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([form.elements.text.value], { type: "text/plain" }));
  link.download = "draft.md";
  link.click();
  URL.revokeObjectURL(link.href);
}

function ready() {
  for (const one of document.querySelectorAll("#draft .tools > *, [data-old]")) one.hidden = false;
}

if (form) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    check();
  });
  form.querySelector('input[type="file"]').addEventListener("change", async (event) => {
    form.elements.text.value = await event.target.files[0].text();
  });
  form.querySelector("#draft-save").addEventListener("click", save);
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-old]");
    if (button) correct(button.dataset);
  });
  new MutationObserver(ready).observe(document.querySelector("#main"), { childList: true, subtree: true });
  ready();
  if (form.dataset.job) follow(form.dataset.job);
}
