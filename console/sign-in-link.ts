/** Signs in by the link that the start of the service printed: `/console#sign-in=CODE`. */
import { farewell, signIn } from "./session.ts";

/** Takes the code out of the address, so that it is in no bookmark and no history. */
export async function followSignInLink(): Promise<void> {
  const code = /^#sign-in=([\w-]+)$/.exec(location.hash)?.[1];
  if (code === undefined) return;
  history.replaceState(null, "", location.pathname);
  try {
    await signIn(await redeem(code));
  } catch {
    farewell.value =
      "This link was used before or has expired. A new one is printed at each start.";
  }
}

async function redeem(code: string): Promise<string> {
  const response = await fetch("/console/sign-in", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code }),
  });
  if (!response.ok) throw new Error(`the service answered ${response.status}`);
  const { token }: { token: string } = await response.json();
  return token;
}
