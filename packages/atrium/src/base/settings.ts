import app from '@adonisjs/core/services/app'

/**
 * Returns the settings of a file in `config/`, for code that runs several times per request: `app.config.get` parses
 * its argument as a path at each call.
 */
export function settingsOf<Settings>(file: string): Settings | undefined {
  return app.config?.all()[file]
}
