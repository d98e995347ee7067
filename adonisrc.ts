import '#start/naming_strategy'
import { indexEntities } from '@adonisjs/core'
import { defineConfig } from '@adonisjs/core/app'

export default defineConfig({
  hooks: {
    init: [indexEntities()],
  },

  commands: [
    () => import('@adonisjs/core/commands'),
    () => import('@adonisjs/lucid/commands'),
    () => import('adonis-atrium/commands'),
  ],

  providers: [
    () => import('@adonisjs/core/providers/app_provider'),
    { file: () => import('@adonisjs/core/providers/repl_provider'), environment: ['repl', 'test'] },
    () => import('@adonisjs/core/providers/hash_provider'),
    () => import('@adonisjs/core/providers/vinejs_provider'),
    () => import('@adonisjs/core/providers/edge_provider'),
    () => import('@adonisjs/lucid/database_provider'),
    () => import('@adonisjs/auth/auth_provider'),
    () => import('@adonisjs/session/session_provider'),
    () => import('adonis-atrium/provider'),
    () => import('adonis-atrium/server_provider'),
  ],

  preloads: [
    () => import('#start/routes'),
    () => import('#start/kernel'),
    { file: () => import('#start/events'), environment: ['web'] },
  ],

  tests: {
    suites: [
      { name: 'unit', files: ['tests/unit/**/*.spec.{ts,js}'], timeout: 10_000 },
      { name: 'functional', files: ['tests/functional/**/*.spec.{ts,js}'], timeout: 30_000 },
      { name: 'browser', files: ['tests/browser/**/*.spec.{ts,js}'], timeout: 60_000 },
    ],
    forceExit: true,
  },

  metaFiles: [
    { pattern: 'resources/views/**/*.edge', reloadServer: false },
    {
      pattern: 'packages/atrium/{package.json,{build,views,assets,lang,stubs}/**}',
      reloadServer: false,
    },
    { pattern: 'database/data/**', reloadServer: false },
    { pattern: '.env.example', reloadServer: false },
    { pattern: 'scripts/**', reloadServer: false },
  ],
})
