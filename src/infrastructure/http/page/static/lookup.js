// Look-ups of papers at public services: asked for in a dialog, followed, and their records taken.
import { canChange, listen, reveal, send } from "./requests.js";

const ended = ["done", "failed", "cancelled"];

// Resolves with the job when it is done.
async function lookedUp(project, body, tell) {
  const { id } = await send("POST", `projects/${project}/lookups`, body);
  return new Promise((finish, fail) => {
    const show = (event, events) => {
      const state = JSON.parse(event.data);
      if (state.status === "queued") tell("Waiting…");
      else if (state.total) tell(`${state.done} of ${state.total} are looked up…`);
      if (!ended.includes(state.status)) return;
      events.close();
      if (state.status === "failed") fail(new Error(state.detail ?? "Failed."));
      else finish(id);
    };
    listen(`jobs/${id}/events`, ["progress", ...ended], show, fail);
  });
}

const dialog = document.querySelector("#lookup");
if (dialog && canChange) {
  reveal(".look-up");
  const said = dialog.querySelector("#lookup-said");
  const now = dialog.querySelector("#lookup-now");
  const tell = (text) => (said.textContent = text);
  document.querySelector(".look-up").addEventListener("click", () => dialog.showModal());
  dialog.querySelector("#lookup-not").addEventListener("click", () => dialog.close());
  now.addEventListener("click", async () => {
    now.disabled = true;
    tell("Starting…");
    const { project, documents } = dialog.dataset;
    try {
      const body = { documents: documents.split(" ").filter(Boolean) };
      const job = await lookedUp(project, body, tell);
      location.assign(`/library?${new URLSearchParams({ project, lookup: job })}`);
    } catch (error) {
      now.disabled = false;
      tell(error.message);
    }
  });
}

const results = document.querySelector("#looked-up");
if (results && canChange) {
  reveal(".take, .leave", results);
  results.addEventListener("click", async (event) => {
    const card = event.target.closest(".proposal");
    if (event.target.matches(".leave")) card.remove();
    if (!event.target.matches(".take")) return;
    event.target.disabled = true;
    const said = card.querySelector("[role=status]");
    try {
      const body = { documents: [card.dataset.document], accept: true };
      await lookedUp(results.dataset.project, body, (text) => (said.textContent = text));
      location.reload();
    } catch (error) {
      event.target.disabled = false;
      said.textContent = error.message;
    }
  });
}
