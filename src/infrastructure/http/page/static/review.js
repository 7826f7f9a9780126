// A review: begun, followed while it runs, stopped, and rated.
import { canChange, listen, reveal, send } from "./requests.js";

const begin = document.querySelector("#new-review");
const review = document.querySelector("#review");
const ended = ["completed", "failed", "cancelled"];
const words = {
  plan_created: ({ steps }) => `Plan: ${steps.join(" · ")}`,
  step_started: ({ stepIndex, stepTitle }) => `Step ${stepIndex + 1}: ${stepTitle}`,
  tool_call: ({ tool, arguments: asked }) => (tool === "query" ? `Search: ${asked.query}` : `Asked: ${tool}`),
  tool_result: ({ summary }) => summary,
  step_completed: ({ evidence, sources }) => `${evidence} quotations from ${sources} papers`,
  reflection_decision: ({ reason }) => reason,
  synthesis_started: ({ writer }) => (writer === "extractive" ? "Ordering the quotations." : `${writer} writes.`),
  synthesis_progress: ({ contentChunk }) => contentChunk,
  // What holds was shown when it was written.
  claim_verified: ({ verdict, claimText }) => (verdict === "SUPPORTED" ? "" : `${verdict.toLowerCase()}: ${claimText}`),
  citation_corrected: ({ reason }) => `Corrected: ${reason}`,
  verification_summary: ({ summary }) => `${summary.supported} of ${summary.totalClaims} statements passed the check.`,
};

function say(place, text) {
  document.querySelector(place).textContent = text;
}

async function ask() {
  const { project, question, depth } = begin.elements;
  say("#new-review-said", "Starting the review.");
  const chat = await send("POST", "chats", {});
  const message = { content: question.value, project: project.value, queryMode: "deep_research" };
  if (depth.value) message.researchDepth = depth.value;
  const { researchSession } = await send("POST", `chats/${chat.id}/messages`, message);
  location.assign(`/review?session=${researchSession.id}`);
}

// The record is sent from its beginning; a connection that breaks is taken up by the browser
// after the last event that it has.
function follow() {
  const list = document.querySelector("#events");
  list.replaceChildren();
  const heard = (event, events) => {
    if (ended.includes(event.type)) {
      events.close();
      if (review.dataset.running) location.reload();
      return;
    }
    const line = document.createElement("li");
    line.className = event.type;
    line.textContent = words[event.type](JSON.parse(event.data));
    if (line.textContent) list.append(line);
    if (review.dataset.running && event.type === "tool_result") say("#review-said", line.textContent);
  };
  const path = `research-sessions/${review.dataset.session}/events`;
  listen(path, [...Object.keys(words), ...ended], heard, (error) => say("#review-said", error.message));
}

function tries(place, work) {
  return (event) => {
    event.preventDefault();
    work(event).catch((error) => say(place, error.message));
  };
}

if (canChange) {
  reveal("#new-review button, #feedback button, [data-do]");
  begin?.addEventListener("submit", tries("#new-review-said", ask));
}
if (review) {
  const { session, report, running } = review.dataset;
  const log = document.querySelector("#events").closest("details");
  if (running) follow();
  else log.addEventListener("toggle", () => log.open && follow(), { once: true });
  const act = async (event) => {
    await send("POST", `research-sessions/${session}/${event.currentTarget.dataset.do}`);
    location.reload();
  };
  for (const button of review.querySelectorAll("[data-do]")) {
    button.addEventListener("click", (event) => {
      act(event).catch((error) => say("#review-said", error.message));
    });
  }
  const feedback = document.querySelector("#feedback");
  const rate = async (event) => {
    const text = feedback.elements.text.value.trim();
    const body = { rating: event.submitter.value };
    await send("POST", `messages/${report}/feedback`, text ? { ...body, feedbackText: text } : body);
    say("#feedback-said", "Thank you. Saved with the review.");
  };
  feedback?.addEventListener("submit", tries("#feedback-said", rate));
}
