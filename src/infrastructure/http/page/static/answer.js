// An answer in sentences: begun, shown as it is written and checked, stopped.
import { listen, reveal, send } from "./requests.js";

const box = document.querySelector("#answer");
const ended = ["done", "failed", "cancelled"];
const one = (selector) => box.querySelector(selector);

async function begin() {
  const { project, question, filters } = box.dataset;
  one("#answer-begin").hidden = true;
  one("#answer-text").hidden = false;
  say("Sending the passages…");
  const job = await send("POST", `projects/${project}/answers`, { question, filters: JSON.parse(filters) });
  const stop = one("#answer-stop");
  stop.hidden = false;
  stop.addEventListener("click", () => send("DELETE", `jobs/${job.id}`).catch((error) => say(error.message)));
  const heard = async (event, events) => {
    if (ended.includes(event.type)) events.close();
    await show(job.id);
    if (!ended.includes(event.type)) return say("Each sentence is checked before it is shown.");
    stop.hidden = true;
    const all = box.querySelectorAll(".sentences li").length;
    const failed = box.querySelectorAll(".failed").length;
    say(`${event.type === "cancelled" ? "Stopped. " : ""}${all - failed} of ${all} sentences are supported by a paper.`);
  };
  listen(`jobs/${job.id}/events`, ["progress", ...ended], heard, (error) => say(error.message));
}

// Sentences are added below those that are there: nothing else of the page moves.
async function show(job) {
  const answer = await fetch(`/answer?job=${job}`);
  if (answer.ok) one("#answer-text").innerHTML = await answer.text();
}

function say(text) {
  one("#answer-said").textContent = text;
}

if (box) {
  reveal("#answer-begin");
  one("#answer-begin").addEventListener("click", () => begin().catch((error) => say(error.message)));
}
