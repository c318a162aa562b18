/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { render } from "../view.ts";
import { Folder } from "./folder.tsx";
import { follow } from "./live.ts";

const root = document.getElementById("folder");
if (root !== null) render(<Folder />, root);
follow();
