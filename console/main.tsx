/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { App } from "./app.tsx";
import { followKeys } from "./keys.ts";
import { followLinks } from "./place.ts";
import { followSignInLink } from "./sign-in-link.ts";
import { render } from "./view.ts";

const root = document.getElementById("console");
await followSignInLink();
addEventListener("hashchange", () => void followSignInLink());
if (root !== null) render(<App />, root);
followLinks();
followKeys();
