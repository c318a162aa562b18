/** `node dist/config/notices/main.js` in the root: writes THIRD-PARTY.md. */
import { writeFileSync } from "node:fs";
import { noticesFile, writeNotices } from "./notices.ts";

writeFileSync(noticesFile, writeNotices("."));
