import { basePath } from '#base/http/base_path'
import { settingsOf } from '#base/settings'
import { defineConfig, type CrudConfig } from './define_config.js'

const BASED = new WeakMap<CrudConfig, { base: string; config: CrudConfig }>()

/**
 * Returns the settings of `config/crud.ts`, or the defaults without that file. Their paths begin with the path of
 * `APP_URL`.
 */
export function crudConfig(): CrudConfig {
  const config = settingsOf<CrudConfig>('crud') ?? defineConfig()
  const base = basePath()
  return base === '' ? config : withPaths(config, base)
}

function withPaths(config: CrudConfig, base: string): CrudConfig {
  const known = BASED.get(config)
  if (known?.base === base) return known.config
  const { docs, prefix } = config
  const based = { ...config, prefix: base + prefix, docs: { ...docs, path: base + docs.path } }
  BASED.set(config, { base, config: based })
  return based
}
