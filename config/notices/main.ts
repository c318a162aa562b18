/** Writes THIRD-PARTY.md; run `node dist/config/notices/main.js` in the root. */
import { writeFileSync } from "node:fs";
import { noticesFile, writeNotices } from "./notices.ts";

writeFileSync(noticesFile, writeNotices("."));
