// Questions, passages and pages without a jump, keys, copying, the basket.
import { Basket } from "./basket.js";
import { reveal } from "./requests.js";

const ZOOMS = [0.75, 1, 1.25, 1.5, 2, 3];
const one = (selector) => document.querySelector(selector);
const narrow = matchMedia("(max-width: 56rem)");
// Undefined until it is chosen: the text fits the width.
let zoom;
let asked = 0;

function tell(text) {
  const told = one("#told");
  told.textContent = text;
  clearTimeout(tell.timer);
  tell.timer = setTimeout(() => (told.textContent = ""), 2500);
}

// ``note`` is what is to be known of the words before they are used.
async function copy(text, note) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    if (!done) return tell("The browser does not allow copying");
  }
  tell(`Copied${note ? `, ${note}` : ""}: ${text.length > 60 ? text.slice(0, 60) + "…" : text}`);
}

// Another passage or page: only what differs is replaced.
async function show(url, remember = true) {
  const turn = ++asked;
  const reader = one("#page");
  reader.setAttribute("aria-busy", "true");
  let text;
  try {
    const answer = await fetch(url, { headers: { accept: "text/html" } });
    if (!answer.ok) throw new Error(answer.statusText);
    text = await answer.text();
  } catch {
    location.assign(url);
    return;
  }
  if (turn !== asked) return;
  const other = new DOMParser().parseFromString(text, "text/html");
  const fresh = other.querySelector("#page");
  if (!fresh) return location.assign(url);
  reader.replaceWith(fresh);
  choose(other, url);
  if (remember) history.pushState({}, "", url.replace(/#.*/, ""));
  ready();
  if (narrow.matches) fresh.scrollIntoView();
  tell(fresh.querySelector(".bar h2, h2")?.textContent ?? "");
}

// What is chosen in the list is what is chosen in the other document.
function choose(other, url) {
  const chosen = other.querySelector(".hit.chosen")?.id;
  for (const hit of document.querySelectorAll(".hit")) {
    const is = hit.id === chosen;
    hit.classList.toggle("chosen", is);
    const link = hit.querySelector(".open");
    if (is) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
    if (is) hit.scrollIntoView({ block: "nearest" });
  }
  for (const verdict of document.querySelectorAll(".verdict")) {
    const is = other.querySelector(".verdict[aria-current]")?.getAttribute("href") === verdict.getAttribute("href");
    verdict.toggleAttribute("aria-current", is);
    if (is) verdict.setAttribute("aria-current", "true");
  }
  for (const link of document.querySelectorAll(".contents a.open")) {
    if (link.href.split("#")[0] === new URL(url, location.href).href.split("#")[0]) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
  for (const claim of document.querySelectorAll(".claim")) {
    let after = claim.nextElementSibling;
    while (after?.matches(".verdict:not([aria-current])")) after = after.nextElementSibling;
    claim.classList.toggle("chosen", Boolean(after?.matches(".verdict")));
  }
}

function ready() {
  reveal("button[data-copy], button[data-zoom], button[data-keep], #help-open");
  applyZoom();
  const box = one(".scroll");
  const mark = one(".marks rect");
  if (box && mark) {
    const top = mark.getBoundingClientRect().top - box.getBoundingClientRect().top;
    box.scrollTop += top - box.clientHeight / 3;
  }
}

// On a small screen the margins of the page are left out of view.
function fit() {
  const lines = one(".sheet .lines");
  const { x, width } = lines?.getBBox() ?? {};
  if (!narrow.matches || !width) return { scale: 1, left: 0 };
  const all = lines.ownerSVGElement.viewBox.baseVal.width;
  return { scale: Math.min(2, Math.max(1, all / (width + 12))), left: (x - 6) / all };
}

function applyZoom() {
  const sheet = one(".sheet");
  if (!sheet) return;
  const { scale, left } = fit();
  sheet.style.setProperty("--zoom", String(zoom ?? scale));
  if (!zoom) sheet.parentElement.scrollLeft = left * sheet.clientWidth;
}

// A tap on the page makes it larger around that place, another one makes it fit again.
function enlarge(sheet, event) {
  const before = sheet.getBoundingClientRect();
  const [across, down] = [(event.clientX - before.left) / before.width, (event.clientY - before.top) / before.height];
  zoom = zoom ? undefined : 2 * fit().scale;
  applyZoom();
  const box = sheet.parentElement;
  if (zoom) box.scrollLeft = across * sheet.clientWidth - box.clientWidth / 2;
  scrollBy({ top: sheet.getBoundingClientRect().top + down * sheet.clientHeight - event.clientY, behavior: "instant" });
}

function step(by) {
  const links = [...document.querySelectorAll(".hits a.open")];
  const now = links.findIndex((link) => link.hasAttribute("aria-current"));
  const next = links[now + by];
  if (!next) return tell(links.length ? `This is the ${by > 0 ? "last" : "first"} passage` : "There are no passages here");
  next.focus({ preventScroll: true });
  show(next.getAttribute("href"));
}

function press(selector, missing) {
  const target = one(selector);
  if (target && !target.hidden) target.click();
  else tell(one("#page") ? missing : "This view shows no page of a paper");
}

// The old passages stay, dimmed, until the answer is here.
function wait() {
  document.documentElement.classList.add("asking");
  one("#told").textContent = "";
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("a.open, #page a[rel]");
  if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey && event.button === 0 && one("#page")) {
    event.preventDefault();
    show(link.getAttribute("href"));
    return;
  }
  if (event.target.closest(".chip")) wait();
  const sheet = event.target.closest(".sheet");
  if (sheet && narrow.matches && !String(getSelection())) enlarge(sheet, event);
  const button = event.target.closest("button");
  if (!button) return;
  if (button.dataset.copy) copy(button.dataset.copy, button.dataset.note);
  if (button.dataset.keep) {
    const { source, project, words, citation, note } = button.dataset;
    basket.keep(button.dataset.keep, { source, project, words, citation, note });
    tell(`Kept in the basket${note ? `, ${note}` : ""}`);
  }
  if (button.dataset.zoom) {
    const now = zoom ?? fit().scale;
    zoom = (button.dataset.zoom > 0 ? ZOOMS.find((size) => size > now) : ZOOMS.findLast((size) => size < now)) ?? now;
    applyZoom();
  }
  if (button.id === "help-open") one("#help").showModal();
});

// Menus close where they are left.
document.addEventListener("pointerdown", (event) => {
  for (const menu of document.querySelectorAll(".menu[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});

function closeMenu() {
  const menu = one(".menu[open]");
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || one("dialog[open]")) return;
  if (event.target.matches("input, select, textarea")) {
    if (event.key === "Escape") event.target.blur();
    if (event.key === "Enter" && event.target.matches("form.ask textarea") && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      event.target.form.requestSubmit();
    }
    return;
  }
  const keys = {
    Escape: closeMenu,
    "/": () => (one("#question") ? one("#question").select() : tell("This view has no question")),
    "?": () => one("#help").showModal(),
    j: () => step(1),
    k: () => step(-1),
    n: () => press('#page [data-key="n"]', "This is the last page"),
    p: () => press('#page [data-key="p"]', "This is the first page"),
    c: () => press('#page [data-key="c"]', "There is no quotation to copy here"),
    b: () => press('#page [data-key="b"]', "There is no quotation to keep here"),
    "+": () => press('[data-zoom="1"]', "There is no page to enlarge here"),
    "-": () => press('[data-zoom="-1"]', "There is no page to reduce here"),
  };
  if (keys[event.key]) {
    event.preventDefault();
    keys[event.key]();
  }
});

window.addEventListener("popstate", () => show(location.href, false));
const basket = new Basket(one("#basket"), tell);
addEventListener("pageshow", () => document.documentElement.classList.remove("asking"));
one("form.ask")?.addEventListener("submit", wait);
one('select[name="project"] [value="new"]')?.removeAttribute("hidden");
one('select[name="project"]')?.addEventListener("change", (event) => {
  if (event.target.value === "new") location.assign("/library#new-project");
  else if (event.target.form.matches(".ask")) event.target.form.requestSubmit();
});
ready();
