import app from '@adonisjs/core/services/app'
import { defineConfig, type CrudConfig } from './define_config.js'

/** Returns the settings of `config/crud.ts`, or the defaults without that file. */
export function crudConfig(): CrudConfig {
  return app.config.get<CrudConfig | undefined>('crud') ?? defineConfig()
}
