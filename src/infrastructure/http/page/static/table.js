// The table of a project: questions added and taken out, and followed while papers are read.
import { listen, reveal, send } from "./requests.js";

const form = document.querySelector("#table");
const ended = ["done", "failed", "cancelled"];

function said(text) {
  document.querySelector("#table-said").textContent = text;
}

async function fill(change) {
  const project = form.elements.project.value;
  said("Reading the papers.");
  try {
    const job = await send("POST", `projects/${project}/tables`, change);
    location.assign(`/table?project=${encodeURIComponent(project)}&job=${job.id}`);
  } catch (error) {
    said(error.message);
  }
}

function follow(job) {
  const bar = document.querySelector("#table-progress");
  const stop = document.querySelector("#table-stop");
  bar.hidden = stop.hidden = false;
  stop.addEventListener("click", () => send("DELETE", `jobs/${job}`).catch((error) => said(error.message)));
  const show = (event, events) => {
    const state = JSON.parse(event.data);
    if (state.total) bar.value = state.done / state.total;
    if (state.total) said(`${state.done} of ${state.total} cells are read.`);
    if (!ended.includes(state.status)) return;
    events.close();
    bar.hidden = stop.hidden = true;
    if (state.status === "failed") return said(state.detail);
    location.replace(`/table?project=${encodeURIComponent(form.dataset.project)}`);
  };
  listen(`jobs/${job}/events`, ["progress", ...ended], show, (error) => {
    bar.hidden = stop.hidden = true;
    said(error.message);
  });
}

if (form) {
  form.addEventListener("submit", (event) => {
    const question = form.elements.question.value.trim();
    if (!question) return; // the form shows the project that is chosen
    event.preventDefault();
    fill({ questions: [question] });
  });
  form.elements.project.addEventListener("change", () => form.requestSubmit());
  document.addEventListener("click", (event) => {
    if (event.target.closest("#table-fill")) fill({});
    const column = event.target.closest("[data-drop]");
    if (column) fill({ drop: [column.dataset.drop] });
  });
  reveal("#table-fill, [data-drop]");
  if (form.dataset.job) follow(form.dataset.job);
}
