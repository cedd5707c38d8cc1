const token = new URLSearchParams(location.search).get("token") ?? "";
const byId = (id) => document.getElementById(id);
const form = byId("form");
const labels = { email: "The e-mail", password: "The password", agentName: "The name" };

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  showProblems([]);
  say("");
  byId("submit").disabled = true;
  try {
    await setUp(Object.fromEntries(new FormData(form)));
  } catch {
    say("The server could not be reached. Check that it still runs, then try again.");
  }
  byId("submit").disabled = false;
});

async function setUp(fields) {
  const response = await window.fetch("/auth/setup", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token, ...fields }),
  });
  const { data, error } = await response.json();
  if (data) return showResult(data, fields.agentName);
  const known = (error.details ?? []).filter(({ path }) => path in labels);
  if (known.length > 0) showProblems(known);
  else say(error.message);
}

/** Under each field what is wrong with it; the first one gets the focus. */
function showProblems(details) {
  for (const name of Object.keys(labels)) {
    const input = byId(name);
    const problem = byId(`${name}-problem`);
    const detail = details.find(({ path }) => path === name);
    problem.hidden = !detail;
    problem.textContent = detail ? `${labels[name]} ${detail.message}.` : "";
    if (detail) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
    const described = [byId(`${name}-help`), detail ? problem : null].flatMap((element) =>
      element ? [element.id] : [],
    );
    if (described.length > 0) input.setAttribute("aria-describedby", described.join(" "));
    else input.removeAttribute("aria-describedby");
  }
  const [first] = Object.keys(labels).filter((name) => details.some(({ path }) => path === name));
  if (first) byId(first).focus();
}

function say(message) {
  byId("failure").hidden = message === "";
  byId("failure").textContent = message;
}

function showResult({ agentId, apiKey }, agentName) {
  const { origin } = location;
  const question = `{
    "agentId": "${agentId}",
    "messages": [
      { "role": "user", "content": "When are you open?" }
    ]
  }`;
  byId("key").textContent = apiKey;
  byId("curl-chat").textContent =
    `curl -N ${origin}/chat \\\n  -H 'Content-Type: application/json' \\\n  -d '${question}'`;
  byId("curl-agents").textContent = `curl ${origin}/agents \\\n  -H 'Authorization: Bearer ${apiKey}'`;
  byId("demo").href = `/demo/${agentId}`;
  byId("demo").textContent = `Talk to ${agentName}`;
  byId("ask").hidden = true;
  byId("done").hidden = false;
  byId("done-title").focus();
  scrollTo(0, 0);
  // The token has done its work; it need not stay in the history.
  history.replaceState(null, "", "/dashboard/setup");
}

for (const button of document.querySelectorAll("[data-copies]")) {
  button.addEventListener("click", async () => {
    const isCopied = await copy(byId(button.dataset.copies));
    button.textContent = isCopied ? "Copied" : "Select and copy";
    byId("copied").textContent = isCopied ? "Copied" : "Selected. Copy it with the keyboard.";
  });
}

/** Selects the text where the browser lets no page write to the clipboard, as on plain http. */
async function copy(element) {
  try {
    await navigator.clipboard.writeText(element.textContent);
    return true;
  } catch {
    getSelection().selectAllChildren(element);
    return false;
  }
}
