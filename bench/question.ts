import type { Course } from "./contest.ts";
import type { Subject } from "./server-process.ts";

/** One file of the bench answers one of these. */
export type Question = (setting: Setting) => Promise<Finding>;

export interface Setting {
  readonly subject: Subject;
  readonly course: Course;
  readonly accounts: number;
  /** How many jobs a read bench makes first. */
  readonly jobs: number;
  /** For a person who waits. */
  readonly say: (line: string) => void;
}

export interface Finding {
  readonly lines: readonly string[];
  /** Every answer was right and the books balance: figures of wrong answers count for nothing. */
  readonly isSound: boolean;
}
