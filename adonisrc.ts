import { defineConfig } from '@adonisjs/core/app'

export default defineConfig({
  commands: [() => import('@adonisjs/core/commands'), () => import('@adonisjs/lucid/commands')],

  providers: [
    () => import('@adonisjs/core/providers/app_provider'),
    { file: () => import('@adonisjs/core/providers/repl_provider'), environment: ['repl', 'test'] },
    () => import('@adonisjs/core/providers/vinejs_provider'),
    () => import('@adonisjs/core/providers/edge_provider'),
    () => import('@adonisjs/lucid/database_provider'),
    () => import('#crud/crud_provider'),
  ],

  preloads: [
    () => import('#start/routes'),
    () => import('#start/kernel'),
    { file: () => import('#start/events'), environment: ['web'] },
    { file: () => import('#start/resources'), environment: ['web'] },
  ],

  tests: {
    suites: [
      { name: 'unit', files: ['tests/unit/**/*.spec.{ts,js}'], timeout: 10_000 },
      { name: 'functional', files: ['tests/functional/**/*.spec.{ts,js}'], timeout: 30_000 },
    ],
    forceExit: true,
  },

  metaFiles: [
    { pattern: 'resources/views/**/*.edge', reloadServer: false },
    { pattern: 'resources/lang/**/*.json', reloadServer: false },
    { pattern: 'database/data/**', reloadServer: false },
    { pattern: '.env.example', reloadServer: false },
    { pattern: 'scripts/**', reloadServer: false },
  ],
})
