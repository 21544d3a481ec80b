// placeholder until config lands
export interface SettingsInput {
  model?: string;
}
