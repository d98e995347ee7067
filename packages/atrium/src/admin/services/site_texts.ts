import { Emitter } from '@adonisjs/core/events'
import type { ApplicationService } from '@adonisjs/core/types'
import { defineConfig, formatters, I18nManager, loaders } from '@adonisjs/i18n'
import { engineFile } from '#base/engine_file'

export const ENGINE_TEXTS = engineFile('lang')

/**
 * Loads the texts of the site, separate from the translations of the application, so that the application's events
 * about missing translations do not include the site's texts.
 *
 * @param folders  folders of languages, with files such as `en/admin.json`. A text of a later folder replaces that of
 *   an earlier one; by default those of the application replace those of the engine
 */
export async function siteTexts(
  app: ApplicationService,
  folders: readonly string[] = [ENGINE_TEXTS, app.languageFilesPath()]
): Promise<I18nManager> {
  const settings = defineConfig({
    defaultLocale: 'en',
    formatter: formatters.icu(),
    loaders: [...new Set(folders)].map((location) => loaders.fs({ location })),
  })
  const texts = new I18nManager(new Emitter(app), await settings.resolver(app))
  await texts.loadTranslations()
  return texts
}

/** Configuration files that earlier versions of the site used, with the container bindings of their packages */
const BINDINGS = {
  drive: 'drive.manager',
  i18n: 'i18n',
  limiter: 'limiter.manager',
  redis: 'redis',
}

/**
 * Returns the configuration files that are no longer used: files for earlier versions whose packages the application
 * does not use itself.
 */
export function unreadFiles({
  config,
  container,
}: Pick<ApplicationService, 'config' | 'container'>): string[] {
  return Object.entries(BINDINGS)
    .filter(([name, binding]) => config.has(name) && !container.hasBinding(binding))
    .map(([name]) => `config/${name}.ts`)
}
