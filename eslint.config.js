import { configApp } from '@adonisjs/eslint-config'

export default configApp({ ignores: ['packages/atrium/build', 'tmp'] })
