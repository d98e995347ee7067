import app from '@adonisjs/core/services/app'
import { defineConfig, type CrudConfig } from './define_config.js'

/**
 * The settings of `config/crud.ts`, or the defaults where the file is missing.
 */
export function crudConfig(): CrudConfig {
  return app.config.get<CrudConfig | undefined>('crud') ?? defineConfig()
}
