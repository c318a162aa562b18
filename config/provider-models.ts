export interface ProviderModel {
  readonly id: string;
  readonly provider: string;
  readonly provider_model: string;
  readonly callback: boolean;
  readonly max_in_flight?: number;
  readonly always_refund_moderation: boolean;
  readonly typical_seconds: number;
  readonly deadline_seconds: number;
  readonly mapping?: object;
}
