// A client on the official TypeScript SDK: `node client.cjs SDK stdio COMMAND [ARGUMENT]...` or
// `node client.cjs SDK http URL`. Calls are lines of JSON on standard input, [TOOL, ARGUMENTS]; the
// answers, and before them what the server says of itself, are lines of JSON on standard output.
const { createRequire } = require("node:module");
const { createInterface } = require("node:readline");
const path = require("node:path");

const [sdk, transport, ...address] = process.argv.slice(2);
const load = createRequire(path.join(sdk, "index.js"));
const { Client } = load("@modelcontextprotocol/sdk/client/index.js");

async function connection() {
  if (transport === "http") {
    const http = load("@modelcontextprotocol/sdk/client/streamableHttp.js");
    return new http.StreamableHTTPClientTransport(new URL(address[0]));
  }
  const stdio = load("@modelcontextprotocol/sdk/client/stdio.js");
  return new stdio.StdioClientTransport({
    command: address[0], args: address.slice(1), env: process.env, stderr: "ignore",
  });
}

function say(document) {
  process.stdout.write(JSON.stringify(document) + "\n");
}

async function main() {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(await connection());
  const { tools } = await client.listTools();
  say({
    server: client.getServerVersion(),
    instructions: client.getInstructions(),
    tools: tools.map((one) => one.name),
  });
  for await (const line of createInterface({ input: process.stdin })) {
    const [name, given] = JSON.parse(line);
    const progress = [];
    try {
      // Listed tools have output schemas: the SDK checks the answer against them.
      const result = await client.callTool({ name, arguments: given }, undefined, {
        onprogress: (one) => progress.push(one),
      });
      say({ ...result, progress });
    } catch (error) {
      say({ failed: String(error) });
    }
  }
  await client.close();
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
