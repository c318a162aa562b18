/**
 * Files of the data directory by which `klieg backup` asks the service for a backup and reads
 * its outcome. The command loads this file alone, without what a service needs.
 */
import type { BackupEnd } from "../engine/backup-thread/backup-task.ts";

export const requestFile = "backup-request";
export const outcomeFile = "backup-outcome";

/** Content of the request's file, as JSON. */
export interface BackupRequest {
  readonly id: string;
  readonly folder: string;
}

/** Content of the outcome's file, as JSON. */
export type BackupOutcome = BackupEnd & { readonly id: string };
