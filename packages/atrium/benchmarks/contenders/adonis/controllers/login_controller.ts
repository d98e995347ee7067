import type { HttpContext } from '@adonisjs/core/http'
import type { SessionGuard } from '@adonisjs/auth/session'
import User from '../models/user.js'

export default class LoginController {
  async store({ auth, request, response }: HttpContext) {
    const { username, password } = request.only(['username', 'password'])
    const user = await User.verifyCredentials(username, password)
    /* The compiler takes the guard for that of the benchmarked application. */
    const guard = auth.use() as unknown as SessionGuard<any, any>
    await guard.login(user)
    return response.redirect('/admin/Product')
  }
}
